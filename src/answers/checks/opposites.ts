import { type Token, tokens } from '../../library/language/terms.ts'

/**
 * Groups of words of which a text can mean only one at a time, in English, German, French and Spanish: each member is a
 * list of its forms, folded; `*` stands for any ending, `_` joins words.
 */
interface Group {
  readonly members: readonly string[]
  /** A "not" turns one member into the other. */
  readonly isTurnedByNot: boolean
}

const TURNED: readonly (readonly string[])[] = [
  [
    `increas* rise rises rising risen rose raise raised raises grow grows grown growing growth grew climb* stieg stiegen
     steigt gestiegen steiger* wuchs wuchsen gewachsen erhoh* zunahm* zugenommen augment* hausse progress* crecio
     crecieron crecimiento aument* subio subieron de_plus`,
    `decreas* fall falls fallen falling fell declin* shrink* shrank shrunk drop drops dropped dropping reduc* cut cuts
     lowered sank sanken sinkt gesunken fiel fielen gefallen ging_zuruck zuruck ruckgang schrumpf* abnahm* abgenommen
     verringer* senk* gesenkt diminu* baiss* recul* disminu* bajo bajaron cayo cayeron descen* de_moins`,
  ],
  [
    'improv* better verbesser* besser amelior* meilleur* mejor*',
    'worsen* worse deteriorat* verschlechter* schlechter deterior* empeor* pire',
  ],
  [
    'must shall required require* mandatory obligat* compulsory has_to have_to muss mussen verpflicht* doit doivent obligatoire* debe deben obligatori* tiene_que tienen_que',
    'may might can could optional* permitted darf durfen kann konnen peut peuvent facultati* puede pueden opcional*',
  ],
  [
    'accept* allow* permit* approv* grant* uphold* upheld genehmig* bewillig* stattgegeben angenommen zugestimmt accord* accept* approuv* autoris* aprob* aprueb* acept* autoriz*',
    'reject* refus* forbid* forbidden prohibit* denied denies dismiss* abgelehnt ablehn* zuruckgewiesen verboten untersagt rejet* interdit* rechaz* deneg* prohib*',
  ],
  ['includ* einschliess* einbezogen inclu*', 'exclud* ausgeschlossen ausschliess* exclu*'],
  ['enabl* aktivier* activ*', 'disabl* deaktivier* desactiv*'],
  ['always every_time immer stets toujours siempre', 'never at_no_time nie niemals jamais nunca'],
  [
    'pending ongoing unresolved undecided anhangig en_cours pendiente*',
    'settled settlement decided won lost dismissed resolved entschieden abgeschlossen beigelegt tranche resuelt* ganado perdido',
  ],
  [
    'open opens opened opening eroffn* geoffnet offnet ouvert* ouvre* ouvri* abiert* abre* abrio',
    'close closes closed closing closure shut* geschlossen schliess* schloss ferme fermee* fermes cerrad* cerro cierra*',
  ],
  [
    'produce produces produced producing generat* erzeug* produzier* produit produits produisent genera generan',
    'consum* uses_up verbrauch* consomm*',
  ],
  ['produce produced produces produjo produjeron', 'consume consumed consumes consumio'],
  [
    'bought buy buys buying acquir* purchas* kauf* erwarb* erworben achet* acquis* compr* adquir*',
    'sell sells selling sold verkauf* verausser* vend*',
  ],
  [
    'hire hires hired hiring recruit* eingestellt einstell* embauch*',
    'dismiss* fired laid_off entlass* licenci* despid*',
  ],
  [
    'recommend* empfehl* empfohlen recommand* recomiend*',
    'discourag* advise_against advises_against advised_against warn* abgeraten deconseill* desaconsej*',
  ],
  ['succeed* succes* gelang gelungen reussi* exito', 'fail* gescheitert misslang echou* fracas*'],
  ['profit* gewinn* benefice* beneficio*', 'loss losses verlust* perte pertes perdida*'],
]

const PLAIN: readonly (readonly string[])[] = [
  [
    'highest largest biggest maximum greatest hochste* grosste* maximal* maximo',
    'lowest smallest fewest minimum niedrigste* kleinste* geringste* minimal* minimo',
  ],
  ['before prior_to bevor vor avant antes', 'after nachdem nach apres despues'],
  ['first erste* premier* primer*', 'last letzte* dernier* ultim*'],
  [
    'monday montag* lundi* lunes',
    'tuesday dienstag* mardi* martes',
    'wednesday mittwoch* mercredi* miercoles',
    'thursday donnerstag* jeudi* jueves',
    'friday freitag* vendredi* viernes',
    'saturday samstag* sonnabend* samedi* sabado*',
    'sunday sonntag* dimanche* domingo*',
  ],
  [
    'north northern nord nordlich* norte',
    'south southern sud sudlich* sur',
    'east eastern ost ostlich* est_de este',
    'west western westlich* ouest oeste',
  ],
  ['left links gauche izquierd*', 'right rechts droite derech*'],
  ['upper oben obere* superieur* superior*', 'lower unten untere* inferieur* inferior*'],
  [
    'inside within_the internal intern interne* interieur* interior*',
    'outside external extern externe* exterieur* exterior* ausserhalb',
  ],
  [
    'annual annually yearly per_year a_year jahrlich* pro_jahr annuel* par_an anual* al_ano',
    'monthly per_month a_month monatlich* pro_monat mensuel* par_mois mensual* al_mes',
    'weekly per_week a_week wochentlich* pro_woche hebdomadaire* par_semaine semanal* por_semana',
    'daily per_day a_day taglich* pro_tag quotidien* par_jour diari* al_dia',
  ],
  [
    'spring fruhling fruhjahr printemps primavera',
    'summer sommer ete_ verano',
    'autumn fall_of herbst automne otono',
    'winter hiver invierno',
  ],
  ['morning* vormittag* matin* manana', 'evening* abend* soir* tarde', 'night* nacht* nuit* noche*'],
  [
    'import imports imported einfuhr* importier* importation*',
    'export exports exported ausfuhr* exportier* exportation*',
  ],
  [
    'staff employee* worker* personnel workforce mitarbeit* beschaftigte* angestellte* salarie* employe* empleado* trabajador*',
    'volunteer* freiwillige* ehrenamt* benevole* voluntari*',
    'student* studierende* etudiant* estudiante* pupil* schuler* eleve*',
    'customer* client* kunde kunden cliente*',
    'minor minors child children kind kinder minderjahrige* mineur mineurs enfant* menor menores nino*',
    'adult* erwachsene* adulte*',
    'doctor* physician* surgeon* arzt* arzte* medecin* medico*',
    'nurse* pflegekraft* infirmi* enfermer*',
    'contractor* freelanc*',
    'trainee* apprentice* intern interns auszubildende* apprenti* aprendi*',
    'teacher* lehr* enseignant* maestro*',
    'visitor* guest* tourist* besucher* visiteur* visitante*',
    'tenant* mieter* locataire* inquilino*',
    'patient*',
  ],
  [
    'director* direktor* directeur*',
    'manager* leiter*',
    'chair chairman chairwoman vorsitzende*',
    'president*',
    'treasurer*',
    'secretary sekretar*',
    'mayor burgermeister* maire alcalde*',
    'minister*',
    'judge* richter* juge* juez',
  ],
]

const GROUPS: readonly Group[] = [
  ...TURNED.map((members) => ({ members, isTurnedByNot: true })),
  ...PLAIN.map((members) => ({ members, isTurnedByNot: false })),
]

interface Form {
  readonly group: number
  readonly member: number
}

const whole = new Map<string, Form[]>()
const beginnings = new Map<string, Form[]>()
for (const [group, { members }] of GROUPS.entries()) {
  for (const [member, forms] of members.entries()) {
    for (const form of forms.trim().split(/\s+/)) {
      const into = form.endsWith('*') ? beginnings : whole
      const key = form.replace(/[*]$/, '').replaceAll('_', ' ').trim()
      into.set(key, [...(into.get(key) ?? []), { group, member }])
    }
  }
}

/** Letters of the shortest beginning in the table. */
const SHORTEST = Math.min(...[...beginnings.keys()].map(({ length }) => length))
const LONGEST = Math.max(...[...beginnings.keys()].map(({ length }) => length))

/** The members that a text holds: for each group, which, and in which word first. */
function membersIn(text: string): ReadonlyMap<number, ReadonlyMap<number, string>> {
  const found = new Map<number, Map<number, string>>()
  const words = tokens(text)
  const add = (forms: readonly Form[] | undefined, { start, end }: Pick<Token, 'start' | 'end'>): void => {
    for (const { group, member } of forms ?? []) {
      const members = found.get(group) ?? new Map<number, string>()
      if (!members.has(member)) members.set(member, text.slice(start, end))
      found.set(group, members)
    }
  }
  for (const [i, token] of words.entries()) {
    const next = words[i + 1]
    add(whole.get(token.word), token)
    if (next) add(whole.get(`${token.word} ${next.word}`), { start: token.start, end: next.end })
    for (let length = SHORTEST; length <= Math.min(LONGEST, token.word.length); length += 1) {
      add(beginnings.get(token.word.slice(0, length)), token)
    }
  }
  return found
}

/**
 * The first word of a sentence whose opposite its quotes have, and not this one; null if there is none. `isTurned`: one
 * side has a "not", so that what it turns says nothing.
 */
export function oppositeOf(sentence: string, quoted: string, isTurned: boolean): string | null {
  const theirs = membersIn(quoted)
  for (const [group, said] of membersIn(sentence)) {
    const held = theirs.get(group)
    const isSure = !(isTurned && GROUPS[group]?.isTurnedByNot)
    if (isSure && held && [...said.keys()].every((member) => !held.has(member))) return [...said.values()][0] ?? null
  }
  return null
}
