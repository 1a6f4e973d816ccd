import { ConfigInvalid } from '../../errors.ts'

/**
 * The headers that carry the key: `Authorization` for everybody, and for Azure also `api-key`, which is where its REST
 * reference wants a resource's key; its bearer tokens are Entra's. Throws `ConfigInvalid` for a key that no header can
 * carry.
 */
export function keyHeaders(hostname: string, apiKey: string | null): Readonly<Record<string, string>> {
  if (apiKey === null) return {}
  // Checked here because `fetch` would print the whole key in its complaint.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new ConfigInvalid('OPENAI_API_KEY holds a space or another character that a key cannot have; paste it again')
  }
  return { authorization: `Bearer ${apiKey}`, ...(azureHost.test(hostname) && { 'api-key': apiKey }) }
}

/** https://learn.microsoft.com/azure/ai-foundry/openai/reference names these. */
const azureHost = /\.(openai|cognitiveservices|services\.ai)\.azure\.com$/i
