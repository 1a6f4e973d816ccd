import { wordSet } from './characters.ts'

/** True for function words and words of asking, in English; those of Chinese, Japanese and Korean count in any text. */
export function isStopWord(word: string): boolean {
  return ENGLISH.has(word) || EAST_ASIAN.has(word) || (word >= '\u3040' && HIRAGANA.test(word))
}

/**
 * The function words of the language that most of a text's words, folded, speak for. null: it is English, or nothing says
 * that it is not. Of the words of a question, these say nothing about what it asks.
 */
export function otherStopWords(words: readonly string[]): ReadonlySet<string> | null {
  const count = (language: ReadonlySet<string>) => words.filter((word) => language.has(word)).length
  let most = count(ENGLISH)
  let found: ReadonlySet<string> | null = null
  for (const language of OTHERS) {
    const own = count(language)
    if (own > most) [most, found] = [own, language]
  }
  return found
}

// In Japanese, particles and endings are written in this script, and few content words.
const HIRAGANA = /^\p{Script=Hiragana}+$/u

// The words of asking, in pairs of characters.
const EAST_ASIAN = wordSet('什么 什麼 为什 為什 怎么 怎麼 如何 哪些 多少 무엇 어떤 얼마 어떻 떻게')

// Function words, fragments of contractions, and the verbs and nouns of asking.
const ENGLISH =
  wordSet(`a about above after again all also although am among an and another any are aren as at be because been before being
   below between both but by can cannot could couldn d did didn do does doesn doing don done during each either else
   ever every few for from further get gets got had hadn has hasn have haven having he her here hers herself him
   himself his how however i if in into is isn it its itself just ll many may me might mine more most much must my
   myself neither no nor not of off on once one only or other others our ours ourselves out over own per please re
   s same shall she should shouldn since so some such t than that the their theirs them themselves then there
   therefore these they this those though through thus to too toward towards under until up upon us ve very via was
   wasn we were weren what whatever when where whereas whether which while who whom whose why will with within
   without won would wouldn yes yet you your yours yourself
   anybody anyone anything everybody everyone everything somebody someone something
   tell explain describe show give list name find say said says mention mentioned mentions discuss discussed
   according know want does called known happen happened question answer`)

// Folded, so "für" is "fur". Each list has the articles, pronouns, prepositions, auxiliaries and words of asking.
const GERMAN =
  wordSet(`aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist da dabei dafur damit
   dann daran darf darin das dass davon dazu dein deine dem den denn der des dessen die dies diese diesem diesen dieser
   dieses doch dort du durch ein eine einem einen einer eines er es etwa etwas euch euer fur furs gab gar gegen gibt habe
   haben hat hatte hatten hier hin ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja je jede jedem jeden jeder
   jedes kann kannst kein keine keinen keiner konnen konnte lassen lasst laut man mehr mein meine meinem meinen meiner mich
   mir mit mussen muss musste nach nicht nichts noch nochmal nun nur ob oder ohne sehr sei sein seine seinem seinen seiner
   selbst sich sie sind so soll sollen sollte sondern sonst uber um und uns unser unsere unter vom von vor wann war waren
   warum was wegen weil welche welchem welchen welcher welches wem wen wenn wer werde werden wessen wie wieso will wir wird
   wo wobei wodurch wofur woher wohin womit woran woraus worin woruber wovon wozu wurde wurden zu zum zur zwar viel viele vielen`)
const FRENCH =
  wordSet(`a ai ait alors as au aucun aucune aussi autre autres aux avait avec avoir c ca car ce cela celle celles celui ces cet
   cette ceux chaque chez combien comme comment d dans de des dire dit dois doit donc dont du elle elles en encore est et
   etait ete etre eu fait faire faut il ils j je l la le les leur leurs lui m ma mais me meme mes moi mon n ne ni nos notre
   nous on ont ou par pas peut peuvent peux plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se
   ses si son sont sous suis sur t ta te tes toi ton tous tout toute toutes tres tu un une vers vont vos votre vous y`)
const SPANISH =
  wordSet(`a al algo alguien algun alguna algunas alguno algunos ante antes aquel aquella asi aun aunque cada como con cual cuales
   cuando cuanta cuantas cuanto cuantos cosa cosas de debe debo del desde donde dos e el ella ellas ello ellos en entre era
   es esa esas ese eso esos esta estan estas este esto estos fue fueron ha hace hacer hacia hago han hasta hay he hemos la
   las le les lo los mas me mi mis mucho muy nada ni no nos nosotros o os otra otras otro otros para pero poco por porque
   pude puede pueden puedo que quien quienes se segun ser si sido sin sobre son soy su sus tal tambien tan tanto te tiene
   tienen tengo toda todas todo todos tu tus un una unas uno unos usted va vamos y ya yo`)
const ITALIAN =
  wordSet(`a ad agli ai al alla alle anche c che chi ci come con cosa cui da dai dal dalla dalle degli dei del della delle di dove e
   ed era essere fa gli ha hanno ho i il in io l la le lei lo loro lui ma mi mio nei nel nella nelle noi non o ogni per
   perche piu puo qual quale quali quando quante quanti quanto quanta quello questa questi questo se sei si sono su sua sue
   sugli sui sul sulla suo tra tu tutti tutto un una uno vi voi`)
const PORTUGUESE =
  wordSet(`a ao aos as com como da das de dela dele do dos e ela eles em era essa esse esta este eu foi ha isso isto ja la lhe mais
   mas me meu muito na nao nas nem no nos o onde os ou para pela pelo por porque qual quais quando quanta quantas quanto
   quantos que quem se sem ser seu sua sao sobre tambem tem um uma umas uns voce`)
const DUTCH =
  wordSet(`aan al als bij dan dat de der deze die dit door een en er haar had heb hebben heeft het hij hoe hoeveel hun ik in is je kan
   kunnen maar me men met mijn moet na naar niet nog nu of om ons ook op over te tot u uit van veel voor waar waarom wanneer
   waren was wat we welke werd wie wij wil worden wordt zal ze zich zij zijn zo zou`)
const NORTH_GERMANIC =
  wordSet(`alle at att av blev de den der det du eller en er et ett ej far fra fran han har hun hon hur hvad hvem hvor hvordan hvorfor i
   ikke inte jag jeg kan man med men mig naar nar och og om paa pa sig ska skal som till til var vad vem vi vilka vilken`)
const OTHERS = [GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH, NORTH_GERMANIC]
