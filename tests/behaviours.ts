/** Every promised behaviour, by number. Each one that is owed is a tag of at least one test. */
export interface Behaviour {
  readonly id: string
  /** `0.1`: owed now; `0.2`: owed once runs can be steered, resumed and replayed; `0.3`: owed once runs are traced. */
  readonly since: '0.1' | '0.2' | '0.3'
  readonly promise: string
}

/** The version whose promises the tests must prove. */
export const owed: readonly Behaviour['since'][] = ['0.1', '0.2']

export const behaviours: readonly Behaviour[] = [
  {
    id: 'R1',
    since: '0.1',
    promise:
      '`AgentState` has exactly the fields of the state table; `createInitialState(messages, sessionId)` gives nextAgent "orchestrator", zero counters, empty lists, nulls.',
  },
  {
    id: 'R2',
    since: '0.1',
    promise:
      "After turns 1, 2, 3 a thread's transcript holds 2, 4, 6 messages: one human and one AI message a turn, no tool messages, no doubles.",
  },
  {
    id: 'R3',
    since: '0.1',
    promise:
      "Nodes return partial updates; an agent instance keeps no state between calls; two threads never see each other's.",
  },
  {
    id: 'R4',
    since: '0.1',
    promise:
      'Entry is the orchestrator; clarification ends the run; research leads to synthesis; synthesis ends. An unknown `nextAgent` fails with a clear error, never hangs.',
  },
  {
    id: 'R5',
    since: '0.1',
    promise:
      'Every agent sets `lastAgent` and adds 1 to `iteration`, on its error path too; orchestrator → research → synthesis leaves 3.',
  },
  {
    id: 'R6',
    since: '0.1',
    promise:
      'With the same thread id, a new message continues the conversation after a restart of the process; without one, a new id is made and returned.',
  },
  {
    id: 'R7',
    since: '0.1',
    promise:
      'Thread state, history, existence, deletion, listing with real timestamps are part of the API; an unknown thread is a typed error.',
  },
  {
    id: 'R8',
    since: '0.1',
    promise:
      'A reply to a clarification goes to research without a model call, count reset to 0, and the question becomes the original one merged with the reply.',
  },
  {
    id: 'R9',
    since: '0.1',
    promise:
      'A reply that resolves nothing ("I don\'t know", empty) may be asked about again, at most 2 clarifications in a row; then research starts with what there is, and the answer says what was assumed.',
  },
  {
    id: 'R10',
    since: '0.1',
    promise: 'Short replies such as "everything", "all of it", "the first one" resolve the question.',
  },
  {
    id: 'R11',
    since: '0.1',
    promise:
      "Routing is a structured output with a strict enum; text that merely contains a route's name does not route; an invalid output is repaired once, then research.",
  },
  { id: 'R12', since: '0.1', promise: 'Any orchestrator failure goes to research, never to clarification.' },
  {
    id: 'R13',
    since: '0.1',
    promise:
      'Vague questions are asked about: undefined pronoun ("Tell me more about it"), bare comparison ("Compare them"), unnamed document ("Use the approach from the paper"), vague superlative ("The best approach"). With history that resolves the pronoun they are not.',
  },
  { id: 'R14', since: '0.1', promise: 'A follow-up is rewritten into a standalone question, shown in the result.' },
  {
    id: 'R15',
    since: '0.1',
    promise:
      'Only the last `maxHistory` messages (default 10) reach any model, formatted with roles; "No previous conversation." when empty; call/result pairs are never split.',
  },
  {
    id: 'R16',
    since: '0.1',
    promise:
      'One concise question, as AI message and as `clarification` and `finalAnswer`; confidence null; status `clarification_needed`; a failing model falls back to a fixed polite question.',
  },
  {
    id: 'R17',
    since: '0.1',
    promise:
      'ReAct over the tools offered; documents first; web only if a provider is configured and the question or a failed document search calls for it; tool history in first-use order.',
  },
  {
    id: 'R18',
    since: '0.1',
    promise:
      '`context.observations` carry the evidence: passage id, document, page, quote or text, score, and whether it came from documents or from the web; the two are never mixed up.',
  },
  {
    id: 'R19',
    since: '0.1',
    promise:
      'Only the final AI message (no tool calls; empty tool-call lists count as none) can leave the agent; if there is none, the last text.',
  },
  {
    id: 'R20',
    since: '0.1',
    promise:
      '`pdf_retrieval(query, documents?)`: empty query is an error; nothing found says so and names how many documents were searched; results carry document, page, score, text.',
  },
  {
    id: 'R21',
    since: '0.1',
    promise:
      '`web_search(query)`: at most 5 results with title, URL, text; failures say why; `read_page(url)` only for URLs that a search of this run returned.',
  },
  { id: 'R22', since: '0.1', promise: 'A failure in research still reaches synthesis with what was gathered.' },
  { id: 'R23', since: '0.1', promise: 'A question may be limited to some documents; retrieval then touches no other.' },
  { id: 'R24', since: '0.1', promise: 'Answers the current standalone question, not the first of the window.' },
  {
    id: 'R25',
    since: '0.1',
    promise: 'Direct answer first, then support; conflicts between sources are named; every claim cited.',
  },
  {
    id: 'R26',
    since: '0.1',
    promise:
      'Evidence too thin: `abstained: true`, says what was searched and lists near misses; nothing invented; confidence low.',
  },
  {
    id: 'R27',
    since: '0.1',
    promise: 'Confidence is computed from evidence (Q5); below 0.5 the answer carries a note to verify.',
  },
  { id: 'R28', since: '0.1', promise: 'On a model failure: the best evidence as quotes, marked as such.' },
  {
    id: 'R29',
    since: '0.1',
    promise:
      'Folder or files of any format that is read; per-file result; one bad file stops nothing; missing folder is an error, empty folder an empty result.',
  },
  {
    id: 'R30',
    since: '0.1',
    promise:
      'Page and character span are stored for each passage; ids are content hashes; adding the same file again changes nothing; a changed file replaces its passages in one transaction; an interrupted ingestion continues at the next file.',
  },
  {
    id: 'R31',
    since: '0.1',
    promise:
      'Prompts are files with front matter (id, version, inputs); a missing variable is an error; Langfuse-managed prompts (by label) override them when configured and fall back to the file with one warning.',
  },
  {
    id: 'R32',
    since: '0.1',
    promise:
      'Per-agent settings (model, temperature, maxHistory, prompt) are read, validated, and used; an unknown key is refused by name.',
  },
  {
    id: 'R33',
    since: '0.1',
    promise:
      'A new human message starts a turn: iteration, context, missingContext, standaloneQuestion, finalAnswer, confidenceScore, citations, unsupported are reset; messages and clarificationCount stay.',
  },
  {
    id: 'R34',
    since: '0.1',
    promise:
      'Values: nextAgent after the orchestrator "clarification" | "research", after research "synthesis", after clarification and synthesis "END"; lastAgent is the node\'s name; the orchestrator alone sets clarificationNeeded, missingContext and the count.',
  },
  {
    id: 'R35',
    since: '0.1',
    promise: 'The graph, the base class, the state and its initial value are usable without the rest.',
  },
  { id: 'R36', since: '0.1', promise: '`:memory:` storage works and leaves no file.' },
  {
    id: 'H1',
    since: '0.2',
    promise:
      'Hooks exist at: after user input, before/after model, before/after round, before/after each tool, on error, on complete; order and frequency as in the event catalogue; `onComplete` runs once for every ending.',
  },
  {
    id: 'H2',
    since: '0.2',
    promise: 'Given singly, as list, or as a plugin (a named bundle); anything else is refused with a clear error.',
  },
  {
    id: 'H3',
    since: '0.2',
    promise: "A hook that throws fails the run (`run.failed`, with the hook's name); nothing is swallowed.",
  },
  {
    id: 'H4',
    since: '0.2',
    promise:
      "Messages may be added around model calls and after rounds; one added during a round waits until the round's results are complete. The order assistant(tool calls) → all results holds always (10,000 generated histories).",
  },
  {
    id: 'H5',
    since: '0.2',
    promise:
      'A pending tool call {name, args, id} is visible to tool hooks, the whole round to round hooks; hooks may change arguments, answer in place of the tool, or refuse.',
  },
  {
    id: 'H6',
    since: '0.2',
    promise:
      "Tools and hooks can read the run's context: agent, question, iteration, previous tools, trace; concurrency-safe.",
  },
  {
    id: 'H7',
    since: '0.2',
    promise:
      '`contextPercent` after each model call (last input tokens / context window); a built-in hook summarises or trims older history at a threshold; the calls it makes are counted.',
  },
  {
    id: 'H8',
    since: '0.2',
    promise:
      'Unknown tool → the model is told which exist, the run goes on; tool exception → an error observation with a code, no paths or secrets in it.',
  },
  {
    id: 'H9',
    since: '0.2',
    promise:
      'Trace entries user input, model call {model, durationMs, tool calls, usage, cost}, tool execution {name, args, callId, result, status, durationMs}: a projection of the log; approval waits are not counted as tool time.',
  },
  {
    id: 'H10',
    since: '0.2',
    promise:
      'Console log unless quiet; text log and YAML session file per thread unless disabled: {agent, model, started, turns: [{input, model, durationMs, tokens, cost, toolsCalled, result, messages}]}; always rebuildable from the log.',
  },
  {
    id: 'H11',
    since: '0.2',
    promise: 'System prompt from string, file or folder; model by prefix (`openai:`, `extractive`, instance).',
  },
  {
    id: 'H12',
    since: '0.2',
    promise:
      'Trust levels for tools: `open` (no question), `careful` (tools marked sensitive ask), `strict` (every tool asks).',
  },
  {
    id: 'H13',
    since: '0.2',
    promise:
      'Reflection plugin (one observation after each round) and approval plugin ship as examples that run in the tests.',
  },
  {
    id: 'H14',
    since: '0.2',
    promise: 'A tool can be run by name without a model; tools can be added, removed, listed.',
  },
  {
    id: 'H15',
    since: '0.2',
    promise: 'Resetting a thread starts a fresh conversation under the same id, keeping the log.',
  },
  {
    id: 'H16',
    since: '0.2',
    promise:
      'Order and frequency are those of the event catalogue, afterTool also after an error; several hooks nest in the order given.',
  },
  {
    id: 'H17',
    since: '0.2',
    promise: 'Each place where a message may be added puts it where the event catalogue says; elsewhere it is refused.',
  },
  { id: 'H18', since: '0.2', promise: 'afterModel hooks may add, change, remove tool calls.' },
  {
    id: 'H19',
    since: '0.2',
    promise:
      "Trace entries carry turn, iteration, timestamp; tool status is success | error | not_found | denied, with the error's type.",
  },
  { id: 'H20', since: '0.2', promise: 'The run context prints the trace so far, and is gone when the tool has ended.' },
  { id: 'H21', since: '0.2', promise: 'A hook may make a one-shot model call; it is counted, limited and traced.' },
  {
    id: 'H22',
    since: '0.2',
    promise: '`threads.reset`, trust levels and `--approve` work together as the command line reference says.',
  },
  { id: 'H23', since: '0.2', promise: "onComplete sees the turn's totals, already in the log." },
  { id: 'H24', since: '0.2', promise: 'onReady and onShutdown hooks.' },
  {
    id: 'L1',
    since: '0.2',
    promise:
      'Limits: model calls, rounds, tool calls, input+output tokens, cost in USD, wall-clock; each checked **before** the next call; defaults in config; per-run override.',
  },
  {
    id: 'L2',
    since: '0.2',
    promise:
      'A met limit ends with status `limit_reached` and the best answer from the evidence so far (synthesis gets one reserved call or falls back to quotes); exit code 3.',
  },
  {
    id: 'L3',
    since: '0.2',
    promise:
      'Recoverable errors (malformed output, bad arguments, tool timeout, unknown tool) go back to the model as an observation and are billed; three malformed in a row end the run.',
  },
  {
    id: 'L4',
    since: '0.2',
    promise:
      'The same tool call with the same arguments three times running ends the loop: "no progress", best answer so far.',
  },
  {
    id: 'L5',
    since: '0.2',
    promise:
      'Long observations are cut: first and last part kept, with the number of characters left out; the full text stays reachable by passage id.',
  },
  {
    id: 'L6',
    since: '0.2',
    promise:
      'Every exit, unexpected exceptions too, leaves a complete log with the ending and its cause; the log grows step by step, never only at the end.',
  },
  {
    id: 'L7',
    since: '0.2',
    promise:
      'Cost unknown is shown as unknown, never as 0; limits by cost then refuse to start with a clear error unless told otherwise.',
  },
  {
    id: 'L8',
    since: '0.2',
    promise:
      'Modes for a person at the terminal: confirm each round, run free, or stop with Ctrl-C: first drains to a resumable stop (exit 130, prints the resume command), second kills.',
  },
  { id: 'L9', since: '0.2', promise: 'The result names the limit: `ending { reason, limit, value }`.' },
  { id: 'L10', since: '0.2', promise: 'A tool may end the loop with a final result.' },
  {
    id: 'E1',
    since: '0.2',
    promise:
      'Everything that changes anything is an event of the catalogue, with a validated payload; unknown types are refused.',
  },
  {
    id: 'E2',
    since: '0.2',
    promise:
      "`causationId` of every event of a run leads to `run.created`; `correlationId` is the run (the engine's own for bootstrap, shutdown, ingestion outside a run).",
  },
  {
    id: 'E3',
    since: '0.2',
    promise:
      '`status` is a pure fold; folding in any two parts gives the same status (property test); no field of a run is set elsewhere.',
  },
  {
    id: 'E4',
    since: '0.2',
    promise: 'The log is persisted and append-only; reading from any position works; positions have no gaps.',
  },
  {
    id: 'E5',
    since: '0.2',
    promise:
      'Replay of a finished run from its log, network off: identical `RunResult` apart from times. Replay to event n shows the status then (time travel).',
  },
  {
    id: 'E6',
    since: '0.2',
    promise: 'The state rebuilt from the log equals the checkpoint (`quaero doctor --verify`).',
  },
  {
    id: 'E7',
    since: '0.2',
    promise:
      'Bootstrap is spans: config, storage, library, models, tracing; input before it completes waits; a failed step means not ready and says why.',
  },
  {
    id: 'E8',
    since: '0.2',
    promise:
      'Approval: requested once per round with all calls; approve → executed once; deny → the reason goes back to the model; edit → the edited call runs; a stale or second answer is refused with a typed error; unanswered for days → still resumable.',
  },
  {
    id: 'E9',
    since: '0.2',
    promise:
      'Shutdown: intake stops, running runs drain to a checkpoint or finish within a deadline (default 10 s), subscribers flush, storage closes; SIGTERM does this.',
  },
  {
    id: 'E10',
    since: '0.2',
    promise:
      'A run interrupted by a crash is found at start and resumed by `resume`, without repeating finished model or tool calls; finished runs stay finished.',
  },
  {
    id: 'E11',
    since: '0.2',
    promise: 'Fork: a thread copied from turn k answers differently afterwards, the original untouched.',
  },
  {
    id: 'E12',
    since: '0.2',
    promise:
      "Exactly one ending per attempt and per span; a resume first closes what a crash left open; endings that arrive after the run's own are ignored by the fold.",
  },
  { id: 'E13', since: '0.2', promise: 'The log exports as JSONL and imports again.' },
  {
    id: 'E14',
    since: '0.2',
    promise: '`status.changed {from, to, trigger, tool?, error?}` is derived, on change only, streamed, never stored.',
  },
  {
    id: 'E15',
    since: '0.2',
    promise: "`quaero.status()` folds the engine's state; no tool runs when the status forbids it.",
  },
  {
    id: 'E16',
    since: '0.2',
    promise: 'Input during bootstrap waits, during shutdown is refused with a typed error.',
  },
  {
    id: 'U1',
    since: '0.2',
    promise:
      '`stream()` yields typed events {id, type, timestamp, runId, threadId, …}; the first is `run.created`, the last the ending; also for failed and cancelled runs it ends without throwing unless asked.',
  },
  {
    id: 'U2',
    since: '0.2',
    promise:
      '`message.delta` streams text as it comes from the model (first delta before the model has finished); the sum of deltas equals the completed message or the message is marked superseded.',
  },
  {
    id: 'U3',
    since: '0.2',
    promise: '`tool.started` before the tool runs, `tool.completed` after, with success or error.',
  },
  {
    id: 'U4',
    since: '0.2',
    promise:
      'Sub-agents (`delegate` tool: named specialists from config with own prompt, tools, model): started and completed events nested under the call, their messages kept apart, depth limited.',
  },
  {
    id: 'U5',
    since: '0.2',
    promise:
      'Cancel: `cancel.requested` → `run.interrupted {cancelled}`; no completion afterwards; the open model stream is aborted within 200 ms.',
  },
  {
    id: 'U6',
    since: '0.2',
    promise:
      'Several readers may follow one run, and one that joins late gets the log from any position, then the live part, without gap or repeat.',
  },
  { id: 'U7', since: '0.2', promise: 'A slow reader never slows the run.' },
  {
    id: 'U8',
    since: '0.2',
    promise: 'Continuation limit: too many rounds → limit ending (L2), never an endless loop.',
  },
  {
    id: 'U9',
    since: '0.2',
    promise:
      'Tool calls stream as the model writes them: `message.delta` carries tool-call chunks; a `toolCalls` list in `message.completed`.',
  },
  {
    id: 'U10',
    since: '0.2',
    promise:
      "One id from `message.created` (in progress) through deltas to `message.completed`; tool results too are messages of the agent's scratch, told apart by `role` and `agent`.",
  },
  {
    id: 'U11',
    since: '0.2',
    promise: '`cancelling` between request and end; the words of status and result are one vocabulary.',
  },
  { id: 'U12', since: '0.2', promise: "A resumed run's stream begins with `run.started {attempt}`." },
  {
    id: 'Q1',
    since: '0.1',
    promise:
      "Every citation's quote equals the stored page text at its span, checked at run time; a citation that fails is dropped, and its sentence listed under `unsupported`.",
  },
  {
    id: 'Q2',
    since: '0.1',
    promise:
      "A sentence of a written answer is called verified only if it is the page's own words, or its number is a formula that was computed again over quoted numbers, or a second reading that saw the writer's passages bore it out; with quotes but no reading it is quoted, else unsupported with the reason.",
  },
  { id: 'Q3', since: '0.1', promise: 'Citations to ids that were not retrieved in this run are impossible.' },
  { id: 'Q4', since: '0.1', promise: 'With no key the main job works, and the answer says that it is extractive.' },
  {
    id: 'Q5',
    since: '0.2',
    promise:
      'Confidence is a calibrated probability that the answer is right: expected calibration error on held-out data is measured and printed by `quaero eval`.',
  },
  {
    id: 'Q6',
    since: '0.2',
    promise:
      'After kill -9 at any point, `resume` finishes the run; finished calls are not paid again (counted at the endpoint).',
  },
  { id: 'Q7', since: '0.2', promise: 'Turn 1,000 costs at most 1.2 × turn 10 in time and bytes.' },
  {
    id: 'Q8',
    since: '0.2',
    promise: 'No connection leaves the machine that was not configured (the suite runs with the network off).',
  },
  {
    id: 'Q9',
    since: '0.3',
    promise:
      'A computed number carries its expression; its operands are quoted numbers with units, and the program computes the result again. Anything else is unverified, with the reason.',
  },
  {
    id: 'Q10',
    since: '0.3',
    promise:
      'No rule about the language of a claim drops, flags or moves a sentence; each sentence that is not shown has a reason from the page, the formula or the reading.',
  },
  {
    id: 'Q11',
    since: '0.3',
    promise:
      'A simple question of a new thread costs one or two model calls; the loop runs only where the first passages do not suffice.',
  },
  { id: 'Q12', since: '0.3', promise: 'No footnote names an author, title or year without evidence for it.' },
  {
    id: 'Q13',
    since: '0.3',
    promise:
      'A cell knows its row label, column path, unit and period; passages of a table carry them wherever it was split; an answer from a table says them.',
  },
  {
    id: 'Q14',
    since: '0.3',
    promise:
      "Each character of a page's text (white space aside) stands in a passage, or in a list of what was left out with the reason.",
  },
  {
    id: 'Q15',
    since: '0.3',
    promise:
      'A reader that is new is examined once before its verdicts count; a weak one leaves sentences quoted, and the result says so.',
  },
  {
    id: 'Q16',
    since: '0.3',
    promise: 'What leaves the server says what the page says: answers, quotes, spans and links are unchanged.',
  },
  {
    id: 'Q17',
    since: '0.3',
    promise: 'Followers, queued runs and open pages at rest cost no database work that grows with their number.',
  },
  {
    id: 'Q18',
    since: '0.3',
    promise:
      "A table of questions and documents asked again gives the same cells, paid once; a cell's quote stands in its document.",
  },
  {
    id: 'Q19',
    since: '0.3',
    promise:
      '`verify` proves an export again on another machine with no model, network or library, and finds whatever was changed in it.',
  },
  {
    id: 'Q20',
    since: '0.3',
    promise:
      'Claims that rest on a changed or removed document are named, with old and nearest new words, without a model.',
  },
  {
    id: 'Q21',
    since: '0.3',
    promise:
      'A note stays with its answer: on the page, in exports, imports and copies. No model, replay or proof has it.',
  },
  {
    id: 'T1',
    since: '0.3',
    promise:
      'Without keys and without an OpenTelemetry address nothing of tracing is loaded, and nothing is connected to.',
  },
  { id: 'T2', since: '0.3', promise: 'Every run is one trace, below one root that holds the question and the answer.' },
  { id: 'T3', since: '0.3', promise: 'Session (the thread), user and trace name stand on every span.' },
  { id: 'T4', since: '0.3', promise: 'Runs that work at once, also inside a span of the host, do not mix.' },
  { id: 'T5', since: '0.3', promise: 'Observations are typed: AGENT, CHAIN, GENERATION, TOOL, RETRIEVER.' },
  {
    id: 'T6',
    since: '0.3',
    promise:
      'Generations hold model, input, output, usage whose parts make the total, cost, time to the first token, prompt name and version.',
  },
  {
    id: 'T7',
    since: '0.3',
    promise:
      'What failed is an error with its message and OpenTelemetry status; what was worked around leaves the run without one.',
  },
  { id: 'T8', since: '0.3', promise: 'A wait for approval is no error; a resumed run joins its trace.' },
  { id: 'T9', since: '0.3', promise: 'A cancelled run is a warning, and its root arrives.' },
  {
    id: 'T10',
    since: '0.3',
    promise: 'No credential leaves, wherever it stands: one redactor goes over every string, and fails closed.',
  },
  {
    id: 'T11',
    since: '0.3',
    promise: 'A backend that is down, refuses or resets changes no answer, and is told of once.',
  },
  {
    id: 'T12',
    since: '0.3',
    promise:
      'A backend that hangs delays no answer; flush and shutdown take at most three seconds together, and never throw.',
  },
  { id: 'T13', since: '0.3', promise: 'A process delivers the whole trace before it exits, on SIGTERM too.' },
  { id: 'T14', since: '0.3', promise: 'Confidence and feedback are scores of the right trace; a repeat replaces.' },
  {
    id: 'T15',
    since: '0.3',
    promise:
      'Prompts managed in Langfuse by label: cached, at most 500 ms with a hanging server, the file with one warning otherwise, linked to generations only where really used.',
  },
  {
    id: 'T16',
    since: '0.3',
    promise: 'Any OpenTelemetry endpoint gets the same spans, beside Langfuse or instead of it.',
  },
  {
    id: 'T17',
    since: '0.3',
    promise:
      'Nothing goes the way of the legacy ingestion: traces are sent over OTLP, compressed, in requests below a megabyte.',
  },
]
