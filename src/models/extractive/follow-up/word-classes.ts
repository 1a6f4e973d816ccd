// Words of which one takes the place of another: "and in April?" after a question about March.
const CLASSES: readonly ReadonlySet<string>[] = [
  'january february march april may june july august september october november december',
  'monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays weekend weekends',
  'spring summer autumn fall winter',
  'morning afternoon evening night',
  'q1 q2 q3 q4',
  'mean median average minimum maximum mode lowest highest',
  'precision recall accuracy f1 f-score auc auroc perplexity bleu rouge specificity sensitivity map ndcg mrr',
  'revenue revenues profit profits turnover income margin sales expenses expenditure costs cost ebitda earnings loss losses debt assets liabilities dividend cashflow',
  'length width height depth weight volume size diameter',
  'latency throughput bandwidth speed',
  'men women boys girls males females children adults teenagers infants',
  'advantages disadvantages strengths weaknesses benefits drawbacks risks pros cons',
  'north south east west',
].map((words) => new Set(words.split(' ')))

/** True for two different words of one class: two months, two measures of quality, two sums of money. */
export function mayReplace(word: string, other: string): boolean {
  const [a, b] = [word.toLowerCase(), other.toLowerCase()]
  return a !== b && CLASSES.some((words) => words.has(a) && words.has(b))
}

/** True for the name of a figure, such as "revenue": what has it is more of a subject than the figure itself. */
export function isMeasure(word: string): boolean {
  return MEASURES.has(word.toLowerCase()) || CLASSES.slice(5, 10).some((words) => words.has(word.toLowerCase()))
}

const MEASURES = new Set(
  `number share percentage proportion rate score value amount total price budget age capacity temperature duration count
   date year name title population area distance point`.split(/\s+/),
)
