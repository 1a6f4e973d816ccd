// LangGraph's hook as its SDK has it: runs are streamed one by one.
import type { Message } from '@langchain/langgraph-sdk'
import { useStream } from '@langchain/langgraph-sdk/react'
import { useState } from 'react'
import { Conversation, keepThread, place, type Said, type Source, server, show, token } from './conversation.tsx'

interface Request {
  readonly action_requests: readonly { readonly name: string; readonly args: object }[]
}

function Page() {
  const [threadId, setThreadId] = useState(place.get('thread'))
  const stream = useStream<{ messages: Message[] }, { InterruptType: Request }>({
    apiUrl: server,
    apiKey: token,
    assistantId: 'quaero',
    threadId,
    onThreadId: (id) => {
      keepThread(id)
      setThreadId(id)
    },
    // A run that is at work when the page is loaded again is joined.
    reconnectOnMount: true,
    fetchStateHistory: true,
  })
  const [action] = stream.interrupt?.value?.action_requests ?? []
  return (
    <Conversation
      said={stream.messages.map(saidIn)}
      isWorking={stream.isLoading}
      error={stream.error}
      request={action && `${action.name} ${JSON.stringify(action.args)}`}
      onAsk={(content) => {
        const messages: Message[] = [{ type: 'human', id: crypto.randomUUID(), content }]
        const shown = { optimisticValues: { messages: [...stream.messages, ...messages] }, streamResumable: true }
        void stream.submit({ messages }, { ...shown, onDisconnect: 'continue' })
      }}
      onDecide={(type) => void stream.submit(null, { command: { resume: { decisions: [{ type }] } } })}
    />
  )
}

function saidIn({ id = '', type, content, ...message }: Message): Said {
  const { quaero } = ('response_metadata' in message ? message.response_metadata : {}) as {
    quaero?: { citations?: readonly Source[] }
  }
  const text = typeof content === 'string' ? content : content.map((part) => ('text' in part ? part.text : '')).join('')
  return { id, role: type === 'human' ? 'user' : 'assistant', text, sources: quaero?.citations ?? [] }
}

show(<Page />)
