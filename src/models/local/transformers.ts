import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { asError, ConfigInvalid } from '../../errors.ts'

/** Numbers in rows, which its methods read. */
export interface Tensor {
  tolist(): unknown
}

type FromFolder = [folder: string, options: { readonly local_files_only: true; readonly dtype: 'fp32' | 'q8' }]

/** What is used of `@huggingface/transformers`, which is not installed with this package. */
export interface Transformers {
  readonly env: { allowRemoteModels: boolean }
  pipeline(task: string, ...from: FromFolder): Promise<(texts: readonly string[], how: object) => Promise<Tensor>>
  readonly AutoTokenizer: {
    from_pretrained(...from: FromFolder): Promise<(texts: readonly string[], how: object) => unknown>
  }
  readonly AutoModelForSequenceClassification: {
    from_pretrained(...from: FromFolder): Promise<(inputs: unknown) => Promise<{ readonly logits: Tensor }>>
  }
}

export type LoadTransformers = () => Promise<Transformers>

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

/**
 * Opens a folder with a model in the form of `transformers.js`, without any network. Throws `ConfigInvalid` if a file or the
 * package is missing, or cannot be used.
 */
export async function openModel<Model>(
  folder: string,
  load: LoadTransformers,
  open: (transformers: Transformers, ...from: FromFolder) => Promise<Model>,
): Promise<Model> {
  const isThere = (name: string) => existsSync(join(folder, name))
  const dtype = isThere('onnx/model.onnx') ? 'fp32' : 'q8'
  const needed = ['config.json', 'tokenizer.json', ...(dtype === 'q8' ? ['onnx/model_quantized.onnx'] : [])]
  const missing = needed.find((name) => !isThere(name))
  if (!existsSync(folder))
    throw new ConfigInvalid(`There is no folder ${folder}, which local: names as that of a model`)
  if (missing) throw new ConfigInvalid(`${folder} holds no ${missing}: local: names the folder of a model`)
  try {
    const transformers = await load()
    transformers.env.allowRemoteModels = false
    return await open(transformers, folder, { local_files_only: true, dtype })
  } catch (cause) {
    const why = `The model in ${folder} cannot be opened (${asError(cause).message})`
    throw new ConfigInvalid(`${why}. It was tried with this package: ${transformersCommand}`, { cause })
  }
}
