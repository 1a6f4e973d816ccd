// Helpers shared by the measurement scripts.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A seeded generator (mulberry32), so that texts and delays repeat from run to run. */
export function random(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const WORDS = 'the a of index page passage quote source answer question search result table section'.split(' ')

/** Plain words, exactly `length` characters of them. */
export function prose(next, length) {
  let text = ''
  while (text.length < length) text += `${WORDS[Math.floor(next() * WORDS.length)]} `
  return text.slice(0, length)
}

/** Runs `work` with a new empty folder and removes the folder afterwards. */
export async function withFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'quaero-measure-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Prints rows of cells under a heading, columns aligned. */
export function table(heading, head, rows) {
  const cells = [head, ...rows].map((row) => row.map(String))
  const widths = head.map((_, i) => Math.max(...cells.map((row) => row[i].length)))
  console.log(`\n${heading}`)
  for (const row of cells) console.log(row.map((cell, i) => cell.padStart(widths[i])).join('  '))
}
