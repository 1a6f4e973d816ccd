/** The thread that writes traces; `TraceThread` starts it. */
import { parentPort, workerData } from 'node:worker_threads'
import { redactor } from '../../redact.ts'
import { openTracing } from '../../tracing/otel/open-tracing.ts'
import { spanBackend } from '../span-backend.ts'
import type { TraceReply, TraceRequest, TraceSetup } from './trace-thread.ts'

// `TraceThread` gives and sends nothing else.
const { langfuse, otlp, labels, secrets }: TraceSetup = workerData

const send = (reply: TraceReply) => parentPort?.postMessage(reply)
const notifyOf = (of: 'langfuse' | 'otlp') => (message: string) => send({ kind: 'notice', of, message })

const traces = openTracing({
  langfuse: langfuse && spanBackend(langfuse, notifyOf('langfuse')),
  otlp,
  labels,
  redact: redactor(secrets),
  onNotice: notifyOf('otlp'),
})

parentPort?.on('message', (request: TraceRequest) => {
  if (request.kind === 'lines') {
    for (const { line, log } of request.lines) traces.tracer(line, log)
    return
  }
  void traces[request.kind]().then(() => send({ kind: 'done', id: request.id }))
})
