import { wordsIn } from './characters.ts'

// What an organisation's name holds and a person's does not.
const WORDS =
  /\b(?:and|of|for|the|inc|ltd|limited|llc|plc|gmbh|ag|kg|se|sa|corp|corporation|co|company|companies|holdings?|organi[sz]ation|institut\w*|universit\w+|college|school|academy|museum|librar(?:y|ies)|hospital|clinic|groups?|agency|ministry|committee|council|parliament|government|association|foundation|trust|fund|society|union|federation|alliance|club|church|co-?operatives?|contributors?|team|authors|community|initiative|faculty|editors?|staff|consortium|collaboration|partners(?:hip)?|office|bank|insurance|department|division|commission|board|court|laborator\w+|labs?|labware|cent(?:er|re)|press|publish(?:ers|ing)|media|studios?|project|network|authority|bureau|services?|systems?|software|hardware|technolog(?:y|ies)|technik|solutions|instruments?|industries|manufacturing|engineering|electronics|robotics|pharma\w*|chemicals|energy|water|power|motors|works|logistics|railways?|airlines|ferries|verein|stiftung|amt|soci[eé]t[eé]|verlag)\b/iu

/**
 * Whether an author is an organisation, whose name is cited whole: by the words of the name, or because the title begins
 * with its first word, as a maker's manual does ("Meridian M40 Centrifuge" by "Meridian Labware").
 */
export function isOrganisation(name: string, title: string | null = null): boolean {
  const whole = name.trim()
  if (WORDS.test(whole)) return true
  const [first = '', ...others] = wordsIn(whole)
  return others.length > 0 && /^\p{Lu}[\p{L}\p{N}-]{2,}$/u.test(first) && (title ?? '').split(/[\s:,]+/u)[0] === first
}
