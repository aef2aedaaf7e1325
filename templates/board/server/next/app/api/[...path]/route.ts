import { board } from '../../../board.ts'

const answer = async (request: Request) => (await board())(request)

export { answer as DELETE, answer as GET, answer as PATCH, answer as POST, answer as PUT }
