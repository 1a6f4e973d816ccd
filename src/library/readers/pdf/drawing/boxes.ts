/** As PDF writes it (ISO 32000, 8.3.3). */
export type Matrix = readonly [number, number, number, number, number, number]
/** Left, bottom, right, top. */
export type Box = readonly [number, number, number, number]

export const identity: Matrix = [1, 0, 0, 1, 0, 0]
export const everywhere: Box = [-1e9, -1e9, 1e9, 1e9]

/** What `inner` does first and `outer` then. */
export function multiply(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer
  const [g, h, i, j, k, l] = inner
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f]
}

/** The box around a box that a matrix has moved. */
export function moved([left, bottom, right, top]: Box, [a, b, c, d, e, f]: Matrix): Box {
  const xs = [a * left + c * bottom, a * right + c * bottom, a * left + c * top, a * right + c * top]
  const ys = [b * left + d * bottom, b * right + d * bottom, b * left + d * top, b * right + d * top]
  return [Math.min(...xs) + e, Math.min(...ys) + f, Math.max(...xs) + e, Math.max(...ys) + f]
}

/** What two boxes have in common; its right is left of its left if that is nothing. */
export function common(one: Box, other: Box): Box {
  return [
    Math.max(one[0], other[0]),
    Math.max(one[1], other[1]),
    Math.min(one[2], other[2]),
    Math.min(one[3], other[3]),
  ]
}

export function isEmpty([left, bottom, right, top]: Box): boolean {
  return right <= left || top <= bottom
}

export function contains([left, bottom, right, top]: Box, x: number, y: number): boolean {
  return x >= left && x <= right && y >= bottom && y <= top
}
