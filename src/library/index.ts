// Documents: reading, storing and searching them, and the words, figures and quotes of their pages.

export { evaluate } from './arithmetic/evaluate.ts'
export { parseExpression } from './arithmetic/expression.ts'
export { type Figure, figureAt, figuresIn, readingsOf } from './arithmetic/figure.ts'
export {
  compare,
  equal,
  type Fraction,
  fraction,
  magnitude,
  minus,
  tenTo,
  times,
  toNumber,
} from './arithmetic/fraction.ts'
export { numbersIn, ordinalIndex } from './arithmetic/numbers.ts'
export { type DecimalMark, decimalMarkOf } from './arithmetic/numeral.ts'
export { constant, isProblem, type Quantity, shownValue, writtenValue } from './arithmetic/quantity.ts'
export { cardOf, DATE, type DocumentCard, holdsText, type Quoted } from './card.ts'
export { documentName, isWebAddress } from './document-name.ts'
export { documentsMeant, filterFrom } from './filter/filter.ts'
export { limitInWords } from './filter/limit-in-words.ts'
export { changedTags, tagFrom, tagsByRule } from './filter/tags.ts'
export { type AddDocumentsOptions, addDocuments, failedDocument } from './ingestion/ingest.ts'
export { scanProgram, scanRemedy } from './ingestion/scans/recognise-text.ts'
export { type StoreWebPage, type WebPageReader, webText } from './ingestion/web-page.ts'
export {
  endWithout,
  hasLetter,
  hasLetterOrDigit,
  isRow,
  lettersOf,
  oneLine,
  wordSet,
  wordsIn,
} from './language/characters.ts'
export { isOneParagraph, type Sentence, sentences, unbrokenSentences } from './language/sentences.ts'
export { isCompound, RELATED, relativesOf, stem } from './language/stem.ts'
export { isStopWord } from './language/stop-words.ts'
export { synonymsOf } from './language/synonyms.ts'
export { tableName, tableNamedIn } from './language/table-name.ts'
export {
  contentStems,
  contentWords,
  indexForm,
  indexStems,
  isEnglish,
  queryTerms,
  stems,
  type Token,
  tokens,
} from './language/terms.ts'
export { filterShape } from './library-options.ts'
export { addOpened, openLibrary } from './open-library.ts'
export { type Overview, overviewOf } from './overview.ts'
export {
  type DocumentBatch,
  type DocumentFormat,
  type DocumentMetadata,
  type DocumentRecord,
  hasPages,
  type MetadataChange,
  type NewDocument,
  type PageLeftOut,
  type PagePiece,
  type PageTable,
  type PageText,
  type Passage,
  type PrintedPage,
  type Provenance,
  pageName,
  pieceLength,
  piecesOf,
  printedNumber,
  type RecognisedPage,
  type SectionStart,
  type StatedMetadata,
  type Stretch,
  type TableCell,
  type TableColumn,
  type TableRow,
  type TextPlace,
} from './port/document.ts'
export type {
  AddedDocument,
  AddOptions,
  AddProgress,
  AddReport,
  AlsoFound,
  CiteReport,
  DocumentDetails,
  EmbedOptions,
  EmbedProgress,
  EmbedReport,
  Library,
  LibrarySearchOptions,
  RemovedDocument,
  SearchHit,
  SearchNotice,
  SemanticStatus,
  ShownCell,
  ShownRow,
  ShownTable,
  TablePlace,
} from './port/library.ts'
export {
  type DocumentsByTerm,
  type DocumentsOptions,
  type FilterOptions,
  fewestPassages,
  type IncomingDocument,
  type MatchQuery,
  type NamedDocument,
  type OpenedFile,
  type PageWindow,
  type PassageIndex,
  type PassageMatch,
  type SourceRecord,
  type TagChange,
} from './port/passage-index.ts'
export type { PassageVectors, VectorRecipe, VectorSpace } from './port/passage-vectors.ts'
export type { FolderChanges, WatchedFolder, WatchOptions } from './port/watch.ts'
export { findQuote, type Span, withoutEmphasis } from './quote.ts'
export { isOrganisation } from './readers/common/author-names.ts'
export { madeKey } from './references/reference.ts'
export { initialsIn, namesTogether, partsOfWords } from './search/named-documents.ts'
export { inverseFrequency, type RankedPassage } from './search/rank-passages.ts'
export type { Reranker } from './search/reranking.ts'
export { openReranking, type Reranking } from './search/reranking.ts'
export { findPassages, scorePassages, sectionAt } from './search.ts'
export { tableAt } from './tables/table-at.ts'
export type { Embedder } from './vectors/embed-passages.ts'
export { openSemanticIndex, type SemanticIndex } from './vectors/semantic-index.ts'
