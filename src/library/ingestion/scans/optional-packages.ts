import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { packageRoot } from '../../../config.ts'

const programs = ['tesseract.js', '@hyzyla/pdfium']

/** The package that holds what tesseract.js knows of a language. */
export function languagePackage(language: string): string {
  return `@tesseract.js-data/${language}`
}

/** Whether all packages for these languages are installed beside this one. */
export function arePackagesInstalled(languages: readonly string[]): boolean {
  const { resolve } = createRequire(import.meta.url)
  try {
    for (const name of neededFor(languages)) resolve(name)
    return true
  } catch {
    return false
  }
}

/** The command that installs them, in the versions that were tried. */
export function installCommand(languages: readonly string[]): string {
  const { peerDependencies } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'))
  const versionOf = (name: string) => peerDependencies[name] ?? peerDependencies[languagePackage('eng')]
  return ['npm install', ...neededFor(languages).map((name) => `${name}@${versionOf(name)}`)].join(' ')
}

function neededFor(languages: readonly string[]): readonly string[] {
  return [...programs, ...languages.map(languagePackage)]
}
