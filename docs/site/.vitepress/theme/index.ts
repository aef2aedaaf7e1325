// Fonts of the system: nothing is fetched before the first paint.
import type { Theme } from 'vitepress'
import theme from 'vitepress/theme-without-fonts'
import { searchOptions } from './search-options.ts'
import './style.css'

const quernel: Theme = {
  extends: theme,
  enhanceApp({ siteData }) {
    const { themeConfig } = siteData.value
    const options = { ...themeConfig.search.options, miniSearch: { searchOptions } }
    siteData.value = {
      ...siteData.value,
      themeConfig: { ...themeConfig, search: { ...themeConfig.search, options } },
    }
  },
}

export default quernel
