import JSZip from 'jszip'
import type { ProvenClaim } from '../cards/claim.ts'
import { filesIn, proofInXml, proofPart } from '../proof/archive.ts'
import { proofOf } from '../proof/proof.ts'

const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const head = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** A document of Word or a workbook with its proof, as data that belongs to its main part, which has these relations. */
export async function withProof(
  bytes: Uint8Array,
  related: string,
  claims: readonly ProvenClaim[],
): Promise<Uint8Array> {
  const file = await JSZip.loadAsync(bytes)
  const props = `<ds:datastoreItem ds:itemID="{5E0C2D56-3B7D-4B0E-9C55-7C7C6F1A2B90}" xmlns:ds="http://schemas.openxmlformats.org/officeDocument/2006/customXml"><ds:schemaRefs/></ds:datastoreItem>`
  file.file('customXml/itemProps1.xml', `${head}${props}`)
  const ofProps = `<Relationship Id="rId1" Type="${relations}/customXmlProps" Target="itemProps1.xml"/>`
  file.file(
    'customXml/_rels/item1.xml.rels',
    `${head}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${ofProps}</Relationships>`,
  )
  const type = 'application/vnd.openxmlformats-officedocument.customXmlProperties+xml'
  const part = `<Relationship Id="quaeroProof" Type="${relations}/customXml" Target="../${proofPart}"/>`
  await append(file, '[Content_Types].xml', `<Override PartName="/customXml/itemProps1.xml" ContentType="${type}"/>`)
  await append(file, related, part)
  file.file(proofPart, proofInXml(proofOf(claims, filesIn(await written(file)))))
  return written(file)
}

/** Adds an element to the root of a part. */
async function append(file: JSZip, name: string, element: string): Promise<void> {
  const xml = (await file.file(name)?.async('string')) ?? ''
  const end = xml.lastIndexOf('</')
  file.file(name, `${xml.slice(0, end)}${element}${xml.slice(end)}`)
}

function written(file: JSZip): Promise<Uint8Array> {
  return file.generateAsync({ type: 'uint8array', compression: 'DEFLATE' })
}
