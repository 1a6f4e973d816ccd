/** A process that plays a tracing backend: takes whatever is posted, or, with the argument `hang`, never answers. */
import { createServer } from 'node:http'

const server = createServer((request, response) => {
  request.resume()
  if (process.argv[2] !== 'hang') request.on('end', () => response.end('{}'))
})
server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${server.address().port}`))
process.on('disconnect', () => process.exit(0))
