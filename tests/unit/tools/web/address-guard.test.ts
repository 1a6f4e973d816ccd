import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AddressRefused } from '../../../../src/errors.ts'
import { addressRefusal, webAddress } from '../../../../src/tools/web/address-guard.ts'
import { guardedFetch } from '../../../../src/tools/web/guarded-fetch.ts'

/** What a resolver says of the names among the forms; the two public names are known to point inwards. */
const names: Readonly<Record<string, readonly string[]>> = {
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['::1', '127.0.0.1'],
  'localtest.me': ['127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
  'half-private.example': ['93.184.215.14', '10.0.0.1'],
  'zoned.example': ['fe80::1%eth0'],
}

const forms =
  `127.0.0.1 localhost LOCALHOST. 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 017700000001 0177.0.0.1 127.0.0.1.
  0 0.0.0.0 [::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::7f00:1]
  [2002:7f00:1::] [2001:0:7f00:1::] [fe80::1] [fc00::1] [fd00:ec2::254] [ff02::1] [100::1] [2001:db8::1] 10.0.0.1
  172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 169.254.170.2 100.64.0.1 100.100.100.200 192.0.0.192 192.0.2.1
  198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255 127.127.127.127 ①②⑦.⓪.⓪.① 127。0。0。1
  localtest.me metadata.google.internal half-private.example zoned.example [64:ff9b:1::1] [::8.8.8.8] [fec0::1]
  [4000::1] [3fff::1] [5f00::1] 192.88.99.1`.split(/\s+/)

describe('the address guard', () => {
  it.each(forms)('does not connect to %s', { tags: ['S5'] }, async (host) => {
    for (const scheme of ['http', 'https']) {
      const attempt = guardedFetch(`${scheme}://${host}/`, { ...limits, lookup: fromTable })
      await expect(attempt).rejects.toThrow(AddressRefused)
      await expect(attempt).rejects.toThrow(/is not read: it is a private, local or reserved address/)
    }
  })

  it.each([
    'ftp://93.184.215.14/',
    'file:///etc/passwd',
    'gopher://93.184.215.14/',
    'data:text/html,x',
    'not a url',
    '',
  ])('refuses %j, which is not an address of the web', { tags: ['S5'] }, async (url) => {
    await expect(guardedFetch(url, limits)).rejects.toThrow(/is not a web address/)
  })

  it('refuses an address with a name and password, without repeating them', { tags: ['S5'] }, async () => {
    const attempt = guardedFetch('http://user:hunter2@93.184.215.14/', limits)
    await expect(attempt).rejects.toThrow(AddressRefused)
    await expect(attempt).rejects.not.toThrow(/hunter2/)
  })

  it.each([22, 25, 6379, 8080])('refuses port %i', { tags: ['S5'] }, async (port) => {
    await expect(guardedFetch(`http://93.184.215.14:${port}/`, limits)).rejects.toThrow(
      /is not one of the web, which are 80 and 443/,
    )
  })

  it('lets public addresses through', () => {
    for (const address of ['93.184.215.14', '8.8.8.8', '2606:4700::1111', '2a00:1450:4001::1', '::ffff:8.8.8.8']) {
      expect(addressRefusal(address, 443)).toBeNull()
    }
    expect(webAddress('/next?a=1', { base: 'https://example.org/x' }).href).toBe('https://example.org/next?a=1')
  })
})

describe('a name that changes its address', () => {
  const reached: string[] = []
  const server = createServer((request, response) => {
    reached.push(request.url ?? '')
    if (request.url === '/start') response.writeHead(302, { location: '/inside', connection: 'close' }).end()
    else response.writeHead(200, { 'content-type': 'text/plain' }).end('inside')
  })
  let port = 0

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, resolve))
    port = (server.address() as AddressInfo).port
  })
  afterAll(() => server.close())

  it('is looked up once for a connection, which then goes to the address that was checked', {
    tags: ['S5'],
  }, async () => {
    let lookups = 0
    const page = await guardedFetch(`http://rebind.example:${port}/page`, {
      ...limits,
      lookup: async () => [++lookups === 1 ? '127.0.0.1' : '127.0.0.2'],
      allow: (address) => address === '127.0.0.1',
    })
    expect(page.text).toBe('inside')
    expect(lookups).toBe(1)
  })

  it('is refused as soon as it points inwards, at a redirect too', { tags: ['S5'] }, async () => {
    reached.length = 0
    let lookups = 0
    const attempt = guardedFetch(`http://rebind.example:${port}/start`, {
      ...limits,
      lookup: async () => [++lookups === 1 ? '127.0.0.1' : '127.0.0.2'],
      allow: (address) => address === '127.0.0.1',
    })
    await expect(attempt).rejects.toThrow(AddressRefused)
    expect(reached).toEqual(['/start'])
  })
})

const limits = { signal: new AbortController().signal, timeoutMs: 5_000, maxBytes: 1_000_000 }

async function fromTable(hostname: string): Promise<readonly string[]> {
  return names[hostname] ?? Promise.reject(new Error(`Nobody should ask for ${hostname}`))
}
