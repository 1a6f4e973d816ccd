import { describe, expect, it } from 'vitest'
import { contentWords, isEnglish } from '../../../../src/library/language/terms.ts'

describe('the words of a question that carry meaning', () => {
  it.each([
    ['Was hat das Schwimmbad die Stadtwerke gekostet?', ['schwimmbad', 'stadtwerke', 'gekostet']],
    ['combien de courant la commune a consommé ?', ['courant', 'commune', 'consomme']],
    ['¿cuántos años de garantía tiene el inversor?', ['anos', 'garantia', 'inversor']],
    ['what did David Bowie die of?', ['david', 'bowie', 'die']],
  ])('are not its function words, whatever its language: %s', (question, words) => {
    expect(contentWords(question)).toEqual(words)
  })

  it.each([
    ['Was hat das Schwimmbad die Stadtwerke gekostet?', false],
    ['¿alguien vio el accidente?', false],
    ['Was it in the garden?', true],
    ['Kestrel throughput', true],
  ])('tell its language: %s', (question, english) => {
    expect(isEnglish(question)).toBe(english)
  })
})
