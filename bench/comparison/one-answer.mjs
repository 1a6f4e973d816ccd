/** A fresh process that answers one question: prints when it was open, when it had the answer, and its peak memory. */
const [side, folder, url] = process.argv.slice(2)
const { open } = await import(`./${side}-side.mjs`)
const opened = await open({ folder, url })
const openMs = performance.now()
await opened.turn(`cold-${process.pid}`, 'How does the store grow over the turns of a conversation?')
const answerMs = performance.now()
await opened.close()
console.log(JSON.stringify({ openMs, answerMs, rssMegabytes: process.resourceUsage().maxRSS / 1024 }))
