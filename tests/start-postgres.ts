import { sharedServer } from './fixtures/storage/postgres-server.ts'

/** Starts the server that gives each data folder of a test a database; the end of all tests stops it. */
export async function setup(): Promise<void> {
  await sharedServer()
}
