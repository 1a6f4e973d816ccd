/** A date with its day or month. */
export const DATE =
  /\b(?:(?:\d{1,2}(?:st|nd|rd|th)? )?(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?,? (?:\d{1,2}(?:st|nd|rd|th)?,? )?(?:19|20)\d\d|(?:19|20)\d\d-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d)\b/iu

const DATES = new RegExp(DATE.source, 'giu')

// What tells one vintage of a document from another: years, dates, versions, states.
export const YEAR = /(?<!\d)(?:19|20)\d\d(?!\d)/gu
export const VERSION =
  /(?<![\p{L}\p{N}])(?:v|ver|version|rev|revision|edition|release|r)[\s._-]{0,2}(\d{1,3}(?:\.\d{1,3})?)(?![\p{L}\p{N}])/giu
const STATE =
  /(?<!\p{L})(?:draft|preliminary|provisional|interim|final|revised|updated?|superseded|obsolete|old|new|current|amended|signed)(?!\p{L})/giu
const PERIOD =
  /(?<!\p{L})(?:q[1-4]|h[12]|fy|january|february|march|april|may|june|july|august|september|october|november|december)(?!\p{L})/giu
const NUMBER = /(?<![\p{L}\p{N}])\d{1,4}(?![\p{L}\p{N}])/gu

/** A name or question without what tells one vintage from another. */
export function withoutMarks(name: string): string {
  return [DATES, VERSION, STATE, PERIOD, YEAR, NUMBER].reduce(
    (text, pattern) => text.replace(pattern, ' '),
    name.replace(/[_.-]+/gu, ' '),
  )
}

const COMPARING =
  /(?<!\p{L})(?:differ|differs|differed|differences?|changed?|changes|compared?|comparison|between|developed|evolved?|over (?:time|the (?:last |past )?years)|versions?|years?|latest|newest|current|currently|most recent|now|nowadays|today)(?!\p{L})/giu

/** What a question asks for, without the words that name vintages or set them against each other. */
export function measureOf(question: string): string {
  return withoutMarks(question).replace(COMPARING, ' ')
}
