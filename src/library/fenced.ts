import { oneLine } from './language/characters.ts'

// Tags of our prompts, also with spaces, slashes or invisible characters in them, and endpoints' marks of turns.
const TAG =
  /[<＜](?=[\s/\u00ad\u200b-\u200d\u2060\ufeff]{0,9}(?:passage|document|cite|abstain|evidence|system|assistant|user|tool)|\|)/gi
const TURN = /\[(?=\/?(?:INST|SYS)\])/g

/** Text of a document for a prompt: tags that would close its fence or open another are disabled. */
export function fencedText(text: string): string {
  return text.replace(TAG, '‹').replace(TURN, '⟦')
}

/** A title, heading, address or file name for the attribute of a tag, or for one line of a list. */
export function fencedLine(text: string): string {
  return oneLine(text).replaceAll('"', "'").replaceAll('<', '‹').replaceAll('>', '›')
}
