import { lookup as systemLookup } from 'node:dns/promises'
import { isIPv6, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'
import { AddressRefused } from '../../errors.ts'

export type Lookup = (hostname: string) => Promise<readonly string[]>

export interface AddressRules {
  /** The operating system's resolver by default. */
  readonly lookup?: Lookup | undefined
  /** Whether an address and port may be reached although they are private or unusual. */
  readonly allow?: ((address: string, port: number) => boolean) | undefined
}

/**
 * Opens connections to public addresses only. A name is resolved once and the connection goes to a checked address, so
 * that no second look-up can answer differently. Fails with `AddressRefused`.
 */
export function guardedConnector(rules: AddressRules = {}): buildConnector.connector {
  return (options, callback) => {
    checkedAddresses(options, rules).then(
      (addresses) => buildConnector({ lookup: answering(addresses), autoSelectFamily: true })(options, callback),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    )
  }
}

/**
 * Parses a web address: http or https, without name and password, on its usual port unless `allow` decides on ports
 * when the connection is made. Throws `AddressRefused`.
 */
export function webAddress(text: string, { base, allow }: { readonly base?: string } & AddressRules = {}): URL {
  if (!URL.canParse(text, base)) throw new AddressRefused(`"${shortened(text)}" is not a web address.`)
  const url = new URL(text, base)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new AddressRefused(`"${shortened(text)}" is not a web address: only http and https are read.`)
  }
  if (url.username || url.password) {
    throw new AddressRefused(`An address on ${url.host} holds a name or password, and such addresses are not read.`)
  }
  const refusal = allow ? null : portRefusal(portOf(url))
  if (refusal) throw new AddressRefused(`${url.host} is not read: ${refusal}`)
  return url
}

/** Why an address and port may not be reached; null if they may. */
export function addressRefusal(address: string, port: number): string | null {
  if (!isPublic(address)) return 'it is a private, local or reserved address, and only public ones are read.'
  return portRefusal(port)
}

function portRefusal(port: number): string | null {
  return port === 80 || port === 443 ? null : `port ${port} is not one of the web, which are 80 and 443.`
}

function portOf({ port, protocol }: { readonly port: string; readonly protocol: string }): number {
  return Number(port) || (protocol === 'https:' ? 443 : 80)
}

async function checkedAddresses(
  options: buildConnector.Options,
  { lookup = resolve, allow }: AddressRules,
): Promise<readonly string[]> {
  const host = options.hostname.replace(/^\[|\]$/g, '')
  const port = portOf(options)
  const addresses = ipaddr.isValid(host) ? [host] : await lookup(host)
  if (addresses.length === 0) throw new AddressRefused(`${options.hostname} is not read: it has no address.`)
  for (const address of addresses) {
    const refusal = allow?.(address, port) ? null : addressRefusal(address, port)
    if (refusal) throw new AddressRefused(`${options.hostname} is not read: ${refusal}`)
  }
  return addresses
}

async function resolve(hostname: string): Promise<readonly string[]> {
  const found = await systemLookup(hostname, { all: true })
  return found.map(({ address }) => address)
}

function answering(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_, { all }, callback) => {
    const [first] = found
    if (all || !first) callback(null, found)
    else callback(null, first.address, first.family)
  }
}

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  // `ipaddr.js` calls every unnamed range unicast: of IPv6 only 2000::/3 is assigned (RFC 4291, 2.4).
  return parsed.kind() === 'ipv4' || parsed.match(globalUnicast)
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
