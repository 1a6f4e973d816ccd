const ENGLISH = new Set(
  `the a an and of in is are was were do does did what which who when where why how it they them its their this that for
   to with on about one more other there be been has have had can could will would should you me i not from by as or if
   so also same tell give show explain he she his her`.split(/\s+/),
)
// Frequent words of other languages that are no English words.
const FOREIGN = new Set(
  `der das und ist ein eine nicht wie wer wann wo warum welche welcher hat er sie es von mit für auf den dem im zu
   le les des est une que qui quoi quand où comment pourquoi il elle dans sur pour avec du et au
   el los las es una qué quién cuándo dónde cómo por cuál él ella en con para del y
   il lo gli è che chi cosa quando dove perché di nel per
   o os as um uma quem onde ele ela em no na com não
   de het een wat wanneer waar waarom hoe hij zij van met voor op
   och är det som vad vem när var hur han hon på med av`.split(/\s+/),
)

/** False for a question in another script or, by its small words, in another language. */
export function isEnglish(text: string): boolean {
  if (/(?!\p{Script=Latin})\p{L}/u.test(text.replace(/[\p{Script=Greek}µ]/gu, ''))) return false
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const count = (known: ReadonlySet<string>) => words.filter((word) => known.has(word)).length
  return count(FOREIGN) <= count(ENGLISH)
}
