import { describe, expect, it } from 'vitest'
import { isOrganisation } from '../../../../src/library/readers/common/author-names.ts'

describe('an author', () => {
  it.each([
    'Meridian Labware',
    'World Health Organization',
    'Corvell Instruments',
    'Acme, Inc.',
    'Tarn Water Cooperative',
  ])('is an organisation by the words of its name: %s', (name) => expect(isOrganisation(name)).toBe(true))

  it.each(['Ada van der Berg', 'Zhang, Wei', 'Plato', '张伟', 'Stella Marinos'])(
    'is a person otherwise: %s',
    (name) => {
      expect(isOrganisation(name, 'The Halden filter')).toBe(false)
    },
  )

  it('is an organisation if the title begins with the name of the maker', () => {
    expect(isOrganisation('Merid Nova', 'Merid M40 Centrifuge: User Manual')).toBe(true)
    expect(isOrganisation('Plato', 'Plato and the Cave')).toBe(false)
  })
})
