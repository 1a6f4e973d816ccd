// LangGraph's newer hook: one stream for the whole thread (protocol v2).
import { useStream } from '@langchain/react'
import { Conversation, keepThread, place, type Said, type Source, server, show, token } from './conversation.tsx'

interface Request {
  readonly action_requests: readonly { readonly name: string; readonly args: object }[]
}

function Page() {
  const stream = useStream<Record<string, unknown>, Request>({
    apiUrl: server,
    apiKey: token,
    assistantId: 'quaero',
    threadId: place.get('thread'),
    onThreadId: keepThread,
  })
  const [action] = stream.interrupt?.value?.action_requests ?? []
  return (
    <Conversation
      said={stream.messages.map(saidIn)}
      isWorking={stream.isLoading}
      error={stream.error}
      request={action && `${action.name} ${JSON.stringify(action.args)}`}
      onAsk={(content) => void stream.submit({ messages: [{ type: 'human', content }] })}
      onDecide={(type) => void stream.respond({ decisions: [{ type }] })}
    />
  )
}

type Message = ReturnType<typeof useStream>['messages'][number]

function saidIn({ id = '', type, text, response_metadata: metadata }: Message): Said {
  const { quaero } = metadata as { quaero?: { citations?: readonly Source[] } }
  return { id, role: type === 'human' ? 'user' : 'assistant', text, sources: quaero?.citations ?? [] }
}

show(<Page />)
