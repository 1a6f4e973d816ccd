// Builds dist from scratch: our own modules bundled, with their types and source maps; marks the command as executable.
// Runs on `npm ci` and before packing. The old dist gives way at the end, so that a program that runs from it does not
// find it half empty, and stays if there are errors.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { build } from 'esbuild'
import { parse } from 'yaml'
import { publishedTypes, throughDoors } from './through-doors.mjs'

/** What is started or imported by its path; everything else becomes part of these, or of what they share. */
const entryPoints = [
  ...['index', 'offline/index', 'langfuse/public', 'eval/index', 'cli/main'],
  ...['library/ingestion/reader-process', 'library/ingestion/scans/tesseract-process', 'langfuse/traces/trace-worker'],
]

/**
 * Packages of many small files, with what they alone need: a cold start would spend most of its time on opening them.
 * Those of LangChain and zod stay dependencies too, since callers use their types; the others need not be installed.
 */
const bundledPackages = [
  ...['@langchain/', 'langsmith', 'zod', 'p-', 'eventemitter3', 'mustache', '@cfworker/json-schema', 'uuid'],
  ...['openai', 'js-tiktoken', 'base64-js', 'diff'],
  ...['@langfuse/', '@opentelemetry/'],
  ...['hono', '@hono/', '@asteasolutions/', 'openapi3-ts'],
  ...['hucre', 'docx', 'fflate', 'nanoid'],
  ...['@citation-js/', 'moo'],
]
/** The program's own tracing and ours meet in it. */
const outsidePackages = ['@opentelemetry/api']
/** Dependencies whose types are in packages of their own, which we need and users do not install. */
const untyped = ['better-sqlite3', 'pg']

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const fresh = join(root, 'node_modules', `.quaero-dist-${process.pid}`)
try {
  writeTypes()
  keepPublishedTypes()
  await bundle()
  await bundlePage()
  chmodSync(join(fresh, 'cli', 'main.js'), 0o755)
  writeFileSync(join(fresh, 'parsed-yaml.json'), JSON.stringify(parsedYaml()))
  rmSync(dist, { recursive: true, force: true })
  renameSync(fresh, dist)
} catch (error) {
  rmSync(fresh, { recursive: true, force: true })
  // Both compilers have said what is wrong.
  process.exitCode = 1
  if (!(error instanceof TypeError) && !error.errors) console.error(error.message)
}

function writeTypes() {
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc')
  const words = [compiler, '-p', 'tsconfig.build.json', '--outDir', fresh]
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('The types are not right')
}

/**
 * Keeps what the types of the package's entry points reach, which a program's compiler reads, and no other. Throws if it
 * names a package that nobody installs with this one, or one without types.
 */
function keepPublishedTypes() {
  const { exports, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const entries = Object.values(exports).flatMap(({ types }) => (types ? [types.replace('./dist/', '')] : []))
  const reached = publishedTypes(fresh, entries)
  for (const name of readdirSync(fresh, { recursive: true })) {
    if (name.endsWith('.d.ts') && !reached.has(join(fresh, name))) rmSync(join(fresh, name))
  }
  for (const [path, { text, packages }] of reached) {
    writeFileSync(path, text)
    const strange = packages.filter((name) => !(name in dependencies) || untyped.includes(name))
    if (strange.length > 0) throw new Error(`${relative(fresh, path)}: a user has no types of ${strange.join(', ')}`)
  }
}

/**
 * A cold start would otherwise spend its time on opening hundreds of small files. What several entry points use goes
 * into chunks beside `index.js`, so that each piece of state is there once; other packages stay outside.
 */
async function bundle() {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: entryPoints.map((name) => `src/${name}.ts`),
    outbase: 'src',
    // Where it will lie, which the source maps start from.
    outdir: dist,
    write: false,
    metafile: true,
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    plugins: [
      { name: 'packages', setup: leavePackagesOutside },
      { name: 'doors', setup: throughDoors },
      { name: 'one-language', setup: englishOnly },
      { name: 'no-downloads', setup: withoutDownloads },
    ],
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Packages that bring both kinds of modules: theirs for `import`.
    mainFields: ['module', 'main'],
    sourcemap: 'linked',
    sourcesContent: false,
  })
  for (const { path, contents } of outputFiles) {
    const file = join(fresh, relative(dist, path))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, contents)
  }
  writeFileSync(join(fresh, 'THIRD-PARTY-LICENSES.txt'), licenses(Object.keys(metafile.inputs)))
}

/** The page of "quaero serve": one script, one stylesheet, and pdf.js beside them, which is loaded for the first source. */
async function bundlePage() {
  const web = join(root, 'src', 'web')
  const out = join(fresh, 'web')
  await build({
    absWorkingDir: root,
    entryPoints: { app: join(web, 'main.tsx'), theme: join(web, 'theme.ts') },
    outdir: out,
    bundle: true,
    // What is needed for a source alone comes with the first one that is opened: `source-panel.js`.
    splitting: true,
    chunkNames: '[name]',
    minify: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    external: ['quaero'],
  })
  for (const name of ['index.html', 'icon.svg']) cpSync(join(web, name), join(out, name))
  const pdfjs = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'))
  for (const name of ['build/pdf.min.mjs', 'build/pdf.worker.min.mjs', 'wasm', 'standard_fonts', 'LICENSE']) {
    cpSync(join(pdfjs, name), join(out, 'pdf', name.replace('build/', '')), { recursive: true })
  }
}

/** The licences of the packages that are in the bundle, as these demand. */
function licenses(files) {
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]).filter(Boolean)
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
    const file = readdirSync(join(root, folder)).find((each) => /^licen[cs]e(?:\.|$)/i.test(each))
    const text = file
      ? readFileSync(join(root, folder, file), 'utf8').trim()
      : 'The package holds no text of its licence.'
    return `${name} ${version} (${license})\n\n${text}\n`
  })
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

/** zod's messages in 50 other languages, a third of its code. */
function englishOnly({ onLoad }) {
  onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, () => ({ contents: "export { default as en } from './en.js'" }))
}

/** References are read from texts alone; what Citation.js could download them with needs packages of its own. */
function withoutDownloads({ onLoad }) {
  const names = ['fetchFile', 'fetchFileAsync', 'setUserAgent']
  const contents = names
    .map((name) => `export function ${name}() { throw new Error('Nothing is downloaded') }`)
    .join('\n')
  onLoad({ filter: /@citation-js\/core\/lib-mjs\/util\/fetchFile\.js$/ }, () => ({
    contents: `${contents}\nexport default fetchFile`,
  }))
}

function leavePackagesOutside({ onResolve }) {
  onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
    kind === 'entry-point' || isBundled(path) ? undefined : { path, external: true },
  )
}

function isBundled(path) {
  return bundledPackages.some((name) => path.startsWith(name)) && !outsidePackages.includes(path)
}

/** The package's own YAML, by the hash of its text: what `src/yaml.ts` looks up. */
function parsedYaml() {
  const settings = readFileSync(join(root, 'config', 'default.yaml'), 'utf8')
  const prompts = readdirSync(join(root, 'prompts')).map((name) => readFileSync(join(root, 'prompts', name), 'utf8'))
  const headers = prompts.map((text) => /^---\n([\s\S]*?)\n---\n/.exec(text)?.[1] ?? '')
  return Object.fromEntries(
    [settings, ...headers].map((text) => [createHash('sha256').update(text).digest('hex'), parse(text)]),
  )
}
