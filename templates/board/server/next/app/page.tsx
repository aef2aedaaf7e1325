'use client'
import dynamic from 'next/dynamic'

/** The list is watched in browsers alone. */
export default dynamic(() => import('./board.tsx'), { ssr: false })
