/**
 * A graph with the nodes of Quaero's, whose model says the same lines: what LangGraph's own server sends of it is what its
 * clients expect of a question that is looked up, of one that needs an approval, and of one that fails.
 */
import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { FakeStreamingChatModel } from '@langchain/core/utils/testing'
import { END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { z } from 'zod'

const text = 'It holds 81.1 million pages.'
const chunks = text.split(/(?<= )/).map((content) => new AIMessageChunk({ content }))
const model = new FakeStreamingChatModel({ chunks })

const retrieval = tool(async () => 'The corpus holds 81.1 million pages.', {
  name: 'pdf_retrieval',
  schema: z.object({ query: z.string() }),
})
const mail = tool(async () => 'sent', { name: 'send_mail', schema: z.object({ to: z.string() }) })

type State = typeof MessagesAnnotation.State

async function research({ messages }: State) {
  const question = contentOf(messages.at(-1))
  if (question.startsWith('Break')) throw new Error('The endpoint has no such model.')
  if (question.startsWith('Send')) {
    const { decisions } = interrupt({
      action_requests: [{ name: 'send_mail', args: { to: 'lund' }, description: 'Use send_mail' }],
      review_configs: [{ action_name: 'send_mail', allowed_decisions: ['approve', 'edit', 'reject'] }],
    })
    if (decisions[0].type === 'approve') await mail.invoke({ ...call('send_mail'), args: { to: 'lund' } })
  }
  await retrieval.invoke({ ...call('pdf_retrieval'), args: { query: 'Marble corpus pages' } })
  return {}
}

function call(name: string) {
  return { id: `call-of-${name}`, name, type: 'tool_call' as const }
}

function contentOf(message: BaseMessage | undefined): string {
  return message?.text ?? ''
}

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('orchestrator', () => ({}))
  .addNode('research', research)
  .addNode('synthesis', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
  .addEdge(START, 'orchestrator')
  .addEdge('orchestrator', 'research')
  .addEdge('research', 'synthesis')
  .addEdge('synthesis', END)
  .compile()
