// Credentials are masked where text is stored, and hidden where it is shown.

export { cleanError, withCleanErrors } from './clean-error.ts'
export { type Credentials, credentialsIn, credentialsOf, headersIn } from './credentials.ts'
export { controlCharacters, type Mask, StreamRedactor } from './mask.ts'
