/**
 * What is taken out of a text before it is shown: control characters but newline and tab, the controls that turn the
 * direction of writing, and what is no character at all. What stands around one is read as one word then.
 */
export const controlCharacters = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Cs}/gu
