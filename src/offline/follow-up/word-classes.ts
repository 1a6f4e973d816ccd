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
  `landlord tenant subtenant lessor lessee guarantor lender borrower seller buyer purchaser vendor supplier customer client
   contractor subcontractor licensor licensee insurer insured employer employee worker intern trainee apprentice
   volunteer visitor guest student teacher parent pupil member non-member manager director chair chairman chairwoman
   chairperson treasurer secretary president auditor owner operator notary trustee beneficiary author editor reviewer
   founder inventor investigator coordinator leader lead nurse patient doctor physician participant consultant freelancer
   pensioner passenger driver pilot crew resident subscriber shareholder creditor debtor principal agent sponsor funder`,
].map((words) => new Set(words.split(/\s+/)))
const ROLES = CLASSES.at(-1) ?? new Set()

/** True for two different words of one class: two months, two measures of quality, two sums of money. */
export function mayReplace(word: string, other: string): boolean {
  const [a, b] = [word.toLowerCase(), other.toLowerCase()]
  if (singular(a) === singular(b)) return false
  return CLASSES.some((words) => words.has(a) && words.has(b)) || (isRole(a) && isRole(b))
}

/** True for what a person or party is in a contract, a firm or a study: "tenant", "employees". */
export function isRole(word: string): boolean {
  return ROLES.has(singular(word.toLowerCase()))
}

function singular(word: string): string {
  return word.replace(/s$/, '')
}

/** True for the name of a figure, such as "revenue": what has it is more of a subject than the figure itself. */
export function isMeasure(word: string): boolean {
  return MEASURES.has(word.toLowerCase()) || CLASSES.slice(5, 10).some((words) => words.has(word.toLowerCase()))
}

const MEASURES = new Set(
  `number share percentage proportion rate score value amount total price budget age capacity temperature duration count
   date year name title population area distance point load limit allowance fee period pressure range rent deposit
   level ph yield output`.split(/\s+/),
)
