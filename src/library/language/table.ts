/** Whether a line is a row of a table. */
export function isRow(line: string): boolean {
  return line.includes(' | ')
}
