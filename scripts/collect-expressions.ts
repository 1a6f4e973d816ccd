// Every regular expression of src with the place it is written at: the literals, and those that `RegExp(…)` builds.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import ts from 'typescript'

export interface Expression {
  readonly source: string
  readonly flags: string
  /** The file and line, relative to the root. */
  readonly place: string
}

export interface Collected {
  readonly expressions: readonly Expression[]
  /** Calls of RegExp whose result could not be found out. */
  readonly unchecked: readonly string[]
}

interface BuiltAt {
  readonly source: ts.SourceFile
  readonly call: ts.CallExpression | ts.NewExpression
  readonly place: string
}

const root = join(import.meta.dirname, '..')

/** A function that makes a text match itself; in the check a word stands for its result. */
const ESCAPES = new Set(['literally', 'escaped'])

const recorder = '__recordExpression'

/** Reads src; a module in which RegExp is called is loaded, so that what the call builds is seen. */
export async function collectExpressions(): Promise<Collected> {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((file) => join(root, 'src', file))
    .sort()
  const expressions: Expression[] = []
  const calls: BuiltAt[] = []
  for (const file of files) {
    const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
    for (const node of descendants(source)) {
      const place = `${relative(root, file)}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
      if (ts.isRegularExpressionLiteral(node)) expressions.push({ ...parts(node.text), place })
      else if (callsRegExp(node)) calls.push({ source, call: node, place })
    }
  }
  const built = await builtExpressions(calls)
  const seen = new Set(built.map(({ place }) => place))
  return {
    expressions: [...expressions, ...built],
    unchecked: calls.map(({ place }) => place).filter((place) => !seen.has(place)),
  }
}

function* descendants(node: ts.Node): Generator<ts.Node> {
  yield node
  const children: ts.Node[] = []
  ts.forEachChild(node, (child) => void children.push(child))
  for (const child of children) yield* descendants(child)
}

function callsRegExp(node: ts.Node): node is ts.CallExpression | ts.NewExpression {
  return (ts.isCallExpression(node) || ts.isNewExpression(node)) && node.expression.getText() === 'RegExp'
}

function parts(literal: string): { source: string; flags: string } {
  const end = literal.lastIndexOf('/')
  return { source: literal.slice(1, end), flags: literal.slice(end + 1) }
}

/** Loads the modules with each call of RegExp wrapped, and with each call in a function repeated at the module's end. */
async function builtExpressions(calls: readonly BuiltAt[]): Promise<Expression[]> {
  const built: Expression[] = []
  Object.assign(globalThis, {
    [recorder]: (place: string, expression: RegExp) => {
      built.push({ source: expression.source, flags: expression.flags, place })
      return expression
    },
  })
  const modules = [...new Set(calls.map(({ source }) => source.fileName))]
  const out = mkdtempSync(join(root, 'node_modules', '.expressions-'))
  try {
    const { metafile } = await build({
      entryPoints: modules,
      bundle: true,
      splitting: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      outdir: out,
      outbase: root,
      outExtension: { '.js': '.mjs' },
      metafile: true,
      logLevel: 'error',
      plugins: [
        { name: 'record', setup: ({ onLoad }) => onLoad({ filter: /\.ts$/ }, ({ path }) => recorded(path, calls)) },
      ],
    })
    for (const [file, { entryPoint }] of Object.entries(metafile.outputs)) {
      if (entryPoint !== undefined) await import(pathToFileURL(join(root, file)).href)
    }
  } finally {
    rmSync(out, { recursive: true, force: true })
  }
  return built
}

function recorded(path: string, calls: readonly BuiltAt[]): { contents: string; loader: 'ts' } | null {
  const here = calls.filter(({ source }) => source.fileName === path)
  const text = here[0]?.source.text
  if (text === undefined) return null
  const wrapped = here.reduceRight(
    (before, { call, place }) =>
      `${before.slice(0, call.getStart())}${recorder}('${place}', ${call.getText()})${before.slice(call.getEnd())}`,
    text,
  )
  const repeated = here.filter(({ call }) => isInFunction(call)).map((one) => `try { ${withSample(one)} } catch {}`)
  return { contents: [wrapped, ...repeated].join('\n'), loader: 'ts' }
}

function isInFunction(node: ts.Node): boolean {
  return ts.findAncestor(node, ts.isFunctionLike) !== undefined
}

/** The call with a word in place of every text that is made to match itself. */
function withSample({ call, place }: BuiltAt): string {
  const start = call.getStart()
  const text = [...descendants(call)]
    .filter((node) => ts.isCallExpression(node) && ESCAPES.has(node.expression.getText()))
    .reduceRight(
      (before, node) => `${before.slice(0, node.getStart() - start)}'word'${before.slice(node.getEnd() - start)}`,
      call.getText(),
    )
  return `${recorder}('${place}', ${text})`
}
