import { plainText } from '../../plain-text.ts'

/** Text of a document or a model on one line, without control characters. */
export function onOneLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim()
}

/** What some renderers make a link of although nothing marks it as one: an address, a host, a mailbox. */
const address = /(?:(?:https?|ftp):\/\/|www\.|mailto:|xmpp:)[^\s|`<>]+|(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]+/gi

/** A text for Markdown that can begin no HTML, image, link or footnote, and no other cell of a table. */
export function inMarkdown(text: string): string {
  const line = onOneLine(text)
  const parts: string[] = []
  let at = 0
  for (const { 0: found, index } of line.matchAll(address)) {
    // Nothing in code is a link.
    parts.push(escapedMarkdown(line.slice(at, index)), `\`${found}\``)
    at = index + found.length
  }
  return [...parts, escapedMarkdown(line.slice(at))].join('')
}

/** Markdown for the beginning of a line, where it can begin no heading, list, quote or rule. */
export function atLineStart(markdown: string): string {
  return markdown.replace(/^([#>+=[:-])/, '\\$1').replace(/^(\d{1,9})([.)])/, '$1\\$2')
}

function escapedMarkdown(text: string): string {
  return text
    .replace(/&(?=#?\w{1,40};)/g, '&amp;')
    .replace(/[\\|`*_~$]/g, '\\$&')
    .replace(/</g, '&lt;')
    .replace(/!\[/g, '!&#91;')
    .replace(/\[(?=\^)/g, '&#91;')
    .replace(/\](?=[(:])/g, '&#93;')
}

/** A text for HTML, within an attribute too. */
export function inHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** A text for XML, without the characters that it may not have in any form: controls, noncharacters, halves of a pair. */
export function inXml(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|[\ufffe\uffff]/gu, ' ').replace(/\p{Cs}/gu, '\ufffd')
}

// Braces are spelled out, since BibTeX counts even escaped ones.
const special: Readonly<Record<string, string>> = {
  '\\': '\\textbackslash{}',
  '{': '\\textbraceleft{}',
  '}': '\\textbraceright{}',
  '~': '\\textasciitilde{}',
  '^': '\\textasciicircum{}',
}

/** A text for LaTeX and BibTeX that can begin no command. */
export function inLatex(text: string): string {
  return onOneLine(text).replace(/[\\{}~^$&#%_]/g, (character) => special[character] ?? `\\${character}`)
}
