// Fonts of the system: nothing is fetched before the first paint.
import theme from 'vitepress/theme-without-fonts'
import './style.css'

export default theme
