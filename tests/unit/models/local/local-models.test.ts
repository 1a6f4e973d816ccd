import { rmSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../../../src/config.ts'
import { localEmbedder, localReranker } from '../../../../src/models/local/local-models.ts'
import {
  loadTransformers,
  localFolder,
  type Tensor,
  type Transformers,
} from '../../../../src/models/local/transformers.ts'
import { writeTinyEmbedder, writeTinyReranker } from '../../../fixtures/tiny-models.ts'

const isInstalled = await loadTransformers().then(Boolean, () => false)

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'quaero-model-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

/** What is used of the package, with a model that answers as told. */
function standIn(answer: (texts: readonly string[]) => Tensor) {
  const asked: unknown[] = []
  const env = { allowRemoteModels: true }
  const module = {
    env,
    pipeline: async (...chosen: readonly unknown[]) => {
      asked.push(chosen)
      return async (texts: readonly string[], how: unknown) => {
        asked.push(how)
        return answer(texts)
      }
    },
    AutoTokenizer: {
      from_pretrained:
        async () =>
        (texts: readonly string[], { text_pair }: { text_pair: readonly string[] }) =>
          text_pair.map((text, at) => `${texts[at]} ${text}`),
    },
    AutoModelForSequenceClassification: {
      from_pretrained: async () => async (inputs: readonly string[]) => ({ logits: answer(inputs) }),
    },
  }
  // As far as it is used.
  return { load: async () => module as unknown as Transformers, asked, env }
}

const rows = (...given: readonly unknown[]): Tensor => ({ tolist: () => given })

describe('a model of one’s own machine', () => {
  it('makes vectors without any network, at most sixteen at once', async () => {
    const path = writeTinyEmbedder(await folder())
    const { load, asked, env } = standIn((texts) => rows(...texts.map((_, at) => [at + 1, 0])))
    const { vectors, tokens } = await (await localEmbedder(path, load)).embed(Array(20).fill('ponds'))
    expect([vectors.length, [...(vectors[15] ?? [])], tokens]).toEqual([16, [16, 0], 0])
    expect(env.allowRemoteModels).toBe(false)
    expect(asked).toEqual([
      ['feature-extraction', path, { local_files_only: true, dtype: 'fp32' }],
      { pooling: 'mean', normalize: true },
    ])
  })

  it('makes vectors as the model states it, of the quantised file where there is no other', async () => {
    const path = writeTinyEmbedder(await folder())
    rmSync(join(path, 'onnx', 'model.onnx'))
    writeFileSync(join(path, 'onnx', 'model_quantized.onnx'), '')
    await mkdir(join(path, '1_Pooling'))
    writeFileSync(join(path, '1_Pooling', 'config.json'), '{"pooling_mode_cls_token": true}')
    const { load, asked } = standIn(() => rows([1]))
    await (await localEmbedder(path, load)).embed(['ponds'])
    expect(asked).toMatchObject([['feature-extraction', path, { dtype: 'q8' }], { pooling: 'cls' }])
  })

  it('orders texts by how well they answer, in parts', async () => {
    const { load } = standIn((texts) => rows(...texts.map((text) => [0, text.endsWith('winter?? 17') ? 2 : 1])))
    const texts = Array.from({ length: 20 }, (_, at) => `winter?? ${at}`)
    const { order, tokens } = await (await localReranker(writeTinyReranker(await folder()), load)).rerank(
      'ponds',
      texts,
    )
    expect([order.slice(0, 3), order.length, tokens]).toEqual([[17, 0, 1], 20, 0])
  })

  it.each([
    ['other numbers', rows([1], [2], [3])],
    ['no number', rows([Number.NaN])],
    ['nothing', rows([])],
    [
      'a row for each word',
      rows([
        [1, 2, 3],
        [4, 5, 6],
      ]),
    ],
  ])('that answers with %s is refused', async (_, tensor) => {
    const path = writeTinyEmbedder(await folder())
    const { load } = standIn(() => tensor)
    const [embedder, reranker] = [await localEmbedder(path, load), await localReranker(path, load)]
    await expect(embedder.embed(['a'])).rejects.toMatchObject({ code: 'embedding_invalid' })
    await expect(reranker.rerank('a', ['b'])).rejects.toMatchObject({ code: 'reranking_invalid' })
  })

  it('that gives an empty vector is refused', async () => {
    const { load } = standIn(() => rows([0, 0]))
    const { embed } = await localEmbedder(writeTinyEmbedder(await folder()), load)
    await expect(embed(['a'])).rejects.toMatchObject({ code: 'embedding_invalid' })
  })

  it('that is not there, or whose package is not, is named with what to do', async () => {
    const path = await folder()
    const missing = async () => Promise.reject(new Error('Cannot find package'))
    await expect(localEmbedder(join(path, 'none'), missing)).rejects.toThrow('There is no folder')
    await expect(localEmbedder(path, missing)).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringContaining(`${path} holds no config.json`),
    })
    writeTinyEmbedder(path)
    const another = async () => ({}) as Transformers
    for (const load of [missing, another]) {
      await expect(localEmbedder(path, load)).rejects.toMatchObject({
        code: 'config_invalid',
        message: expect.stringMatching(/npm install @huggingface\/transformers@\d/),
      })
    }
  })

  it('stops for its caller', async () => {
    const { load } = standIn(() => rows([1]))
    const reason = new Error('enough')
    const signal = AbortSignal.abort(reason)
    const { embed } = await localEmbedder(writeTinyEmbedder(await folder()), load)
    const { rerank } = await localReranker(writeTinyReranker(await folder()), load)
    await expect(embed(['a'], { signal })).rejects.toBe(reason)
    await expect(rerank('a', ['b'], signal)).rejects.toBe(reason)
  })

  it('is named by its folder in the settings, in short or as a model', async () => {
    const file = join(await folder(), 'local.yaml')
    writeFileSync(file, 'search:\n  embeddings: local:models/e5\n  reranker: { model: local:models/minilm }\n')
    const { embeddings, reranker } = loadConfig({ file, env: {} }).settings.search
    expect([embeddings.model, reranker.model].map(localFolder)).toEqual(['models/e5', 'models/minilm'])
    expect([embeddings.batch, reranker.passages, localFolder('bge-m3')]).toEqual([64, 30, null])
  })
})

// The package and what it installs are 475 MB, so that it is no dependency of the tests.
describe.skipIf(!isInstalled)('a model of a few bytes in the package', () => {
  it('finds words that mean the same', async () => {
    const { embed } = await localEmbedder(writeTinyEmbedder(await folder()))
    const { vectors } = await embed(['Capital expenditure', 'Purchases of property', 'Ponds in winter'])
    const [asked = [], same = [], other = []] = vectors.map((vector) => [...vector])
    const like = (vector: readonly number[]) => asked.reduce((sum, part, at) => sum + part * (vector[at] ?? 0), 0)
    expect([like(asked), like(same) > 0.9, like(other) < 0.2]).toEqual([expect.closeTo(1, 5), true, true])
  })

  it('orders texts', async () => {
    const { rerank } = await localReranker(writeTinyReranker(await folder()))
    const texts = ['Ponds', 'Purchases of property', 'Capital']
    expect((await rerank('expenditure', texts)).order).toEqual([1, 2, 0])
  })
})
