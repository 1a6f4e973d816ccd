/**
 * Text from models and documents without escape sequences (CSI, OSC, DCS, APC, PM, SOS and the short ones), without
 * control characters but newline and tab (a carriage return could overwrite a line), and without direction controls.
 */
export function plainText(text: string): string {
  return text.replace(sequences, '').replace(controls, '')
}

// ECMA-48, each introducer in its 7-bit and its 8-bit form.
const esc = String.fromCharCode(0x1b)
const bel = String.fromCharCode(0x07)
const [dcs, sos, csi, st, osc, pm, apc] = [0x90, 0x98, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f].map((c) => String.fromCharCode(c))
// A command string that is never closed ends with its line, so that the text after it is kept.
const commandString = `(?:${esc}[\\]PX^_]|[${dcs}${sos}${osc}${pm}${apc}])[^${bel}${esc}${st}\\n]*(?:${bel}|${esc}\\\\|${st})?`
const controlSequence = `(?:${esc}\\[|${csi})[0-?]*[ -/]*[@-~]?`
const shortEscape = `${esc}[ -/]*[0-~]?`
const sequences = new RegExp([commandString, controlSequence, shortEscape].join('|'), 'g')
const controls = /[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu
