// The hook of the AI SDK.
import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai'
import { Conversation, keepThread, place, type Said, type Source, server, show, token } from './conversation.tsx'

const headers = { Authorization: `Bearer ${token}` }
const id = place.get('thread') ?? crypto.randomUUID()

function Page({ before }: { readonly before: UIMessage[] }) {
  const chat = useChat({
    id,
    messages: before,
    // A run that is at work when the page is loaded again is joined.
    resume: before.length > 0,
    transport: new DefaultChatTransport({ api: `${server}/api/chat`, headers }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  const waiting = chat.messages
    .at(-1)
    ?.parts.find((part) => part.type === 'dynamic-tool' && part.state === 'approval-requested')
  const call = waiting?.type === 'dynamic-tool' ? waiting : undefined
  return (
    <Conversation
      said={chat.messages.map(saidIn)}
      isWorking={chat.status === 'submitted' || chat.status === 'streaming'}
      error={chat.error}
      request={call && `${call.toolName} ${JSON.stringify(call.input)}`}
      onAsk={(text) => {
        keepThread(id)
        void chat.sendMessage({ text })
      }}
      onDecide={(type) => {
        if (call?.approval) void chat.addToolApprovalResponse({ id: call.approval.id, approved: type === 'approve' })
      }}
    />
  )
}

function saidIn({ id, role, parts }: UIMessage): Said {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  const sources = parts.flatMap((part) =>
    part.type === 'source-document' ? [part.providerMetadata?.quaero as unknown as Source] : [],
  )
  return { id, role: role === 'user' ? 'user' : 'assistant', text, sources }
}

/** The conversation as the server has it. */
async function before(): Promise<UIMessage[]> {
  const reply = await fetch(`${server}/api/threads/${id}`, { headers })
  if (!reply.ok) return []
  const { messages } = (await reply.json()) as {
    messages: { role: 'user' | 'assistant'; content: string; runId: string; messageId?: string; citations?: Source[] }[]
  }
  return messages.map(({ role, content, runId, messageId = `${runId}-answer`, citations = [] }) => ({
    id: messageId,
    role,
    parts: [
      { type: 'text', text: content },
      ...citations.map((each) => {
        const source = { sourceId: `${runId}:${each.marker}`, mediaType: 'text/plain', title: each.label }
        return { type: 'source-document' as const, ...source, providerMetadata: { quaero: { ...each } } }
      }),
    ],
  }))
}

show(<Page before={await before()} />)
