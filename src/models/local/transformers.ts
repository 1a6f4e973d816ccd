import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { asError, ConfigInvalid } from '../../errors.ts'

/** As many values as texts, or as many rows of `dims[1]` values. */
export interface Tensor {
  readonly dims: readonly number[]
  readonly data: ArrayLike<number>
}

interface ModelOptions {
  readonly local_files_only: true
  readonly dtype: 'fp32' | 'q8'
}

interface FromFolder<Loaded> {
  from_pretrained(folder: string, options: ModelOptions): Promise<Loaded>
}

/** What is used of `@huggingface/transformers`, which is not installed with this package. */
export interface Transformers {
  readonly env: { allowRemoteModels: boolean }
  readonly pipeline: (
    task: 'feature-extraction',
    folder: string,
    options: ModelOptions,
  ) => Promise<(texts: readonly string[], how: { pooling: 'mean' | 'cls'; normalize: true }) => Promise<Tensor>>
  readonly AutoTokenizer: FromFolder<
    (texts: readonly string[], how: { text_pair: readonly string[]; padding: true; truncation: true }) => unknown
  >
  readonly AutoModelForSequenceClassification: FromFolder<(inputs: unknown) => Promise<{ readonly logits: Tensor }>>
}

export type LoadTransformers = () => Promise<unknown>

/** Not a name in an import, since no types and no bundle can know a package that may be missing. */
const packageName: string = '@huggingface/transformers'
export const loadTransformers: LoadTransformers = () => import(packageName)

/** Installs the package, in the version that was tried. */
const transformersCommand = `npm install ${packageName}@4.3.2`

/** What a person does so that searches use models of this machine, and how large that is. */
export const localModelRemedy = `\
  ${transformersCommand}   # 475 MB
  # then, for each model, a folder with config.json, tokenizer.json, tokenizer_config.json, onnx/model_quantized.onnx:
  #   embeddings: huggingface.co/Xenova/all-MiniLM-L6-v2, 23 MB; many languages: Xenova/multilingual-e5-small, 118 MB
  #   reranker: huggingface.co/Xenova/ms-marco-MiniLM-L-6-v2, 23 MB
  # and in the settings "search: { embeddings: local:<folder>, reranker: local:<folder> }"`

/** The folder of `local:<folder>`; null for the name of a model behind an endpoint. */
export function localFolder(model: string | null): string | null {
  return model?.startsWith('local:') ? model.slice('local:'.length) : null
}

/** A model's folder, as the package wants it. */
export interface ModelFolder {
  readonly transformers: Transformers
  readonly folder: string
  readonly options: ModelOptions
}

/**
 * Opens a folder with a model in the form of `transformers.js`, without any network. Throws `ConfigInvalid` if the package or a
 * file is missing.
 */
export async function openFolder(given: string, load: LoadTransformers): Promise<ModelFolder> {
  const folder = resolve(given)
  const missing = ['config.json', 'tokenizer.json'].find((name) => !existsSync(join(folder, name)))
  const files = { fp32: 'onnx/model.onnx', q8: 'onnx/model_quantized.onnx' } as const
  const isThere = (dtype: keyof typeof files) => existsSync(join(folder, files[dtype]))
  const dtype = isThere('fp32') ? 'fp32' : 'q8'
  if (missing || !isThere(dtype)) {
    throw new ConfigInvalid(
      `${folder} holds no ${missing ?? `${files.fp32} or ${files.q8}`}: local: names the folder of a model`,
    )
  }
  const transformers = await load().catch((cause: unknown) => {
    throw new ConfigInvalid(`A local model needs a package (${asError(cause).message}). Run: ${transformersCommand}`, {
      cause,
    })
  })
  if (!isTransformers(transformers)) throw new ConfigInvalid(`Another version is needed. Run: ${transformersCommand}`)
  transformers.env.allowRemoteModels = false
  return { transformers, folder, options: { local_files_only: true, dtype } }
}

function isTransformers(module: unknown): module is Transformers {
  const names = ['env', 'pipeline', 'AutoTokenizer', 'AutoModelForSequenceClassification']
  return typeof module === 'object' && module !== null && names.every((name) => name in module)
}
