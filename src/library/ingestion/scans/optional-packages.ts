import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { packageRoot } from '../../../config.ts'

const programs = ['tesseract.js', '@hyzyla/pdfium']

/** The package that holds what tesseract.js knows of a language. */
export function languagePackage(language: string): string {
  return `@tesseract.js-data/${language}`
}

/** The packages for these languages that are not installed beside this one. */
export function missingPackages(languages: readonly string[]): readonly string[] {
  const { resolve } = createRequire(import.meta.url)
  return neededFor(languages).filter((name) => {
    try {
      resolve(name)
      return false
    } catch {
      return true
    }
  })
}

/** The command that installs them, in the versions that were tried. */
export function installCommand(languages: readonly string[]): string {
  const { peerDependencies } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'))
  const versionOf = (name: string) => peerDependencies[name] ?? peerDependencies[languagePackage('eng')]
  return `npm install ${neededFor(languages)
    .map((name) => `${name}@${versionOf(name)}`)
    .join(' ')}`
}

function neededFor(languages: readonly string[]): readonly string[] {
  return [...programs, ...languages.map(languagePackage)]
}
