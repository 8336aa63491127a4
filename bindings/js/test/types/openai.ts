// Whatever the adapter makes has to be what the package takes, and the other way round. Compiled, never run.
import type OpenAI from 'openai';
import type { ChatCompletionMessage, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { Response, ResponseInputItem } from 'openai/resources/responses/responses';
import type { Gate } from 'fsgate';
import { chat, responses } from 'fsgate/openai';

export async function byCompletions(openai: OpenAI, gate: Gate, messages: ChatCompletionMessageParam[]): Promise<ChatCompletionMessage> {
  const files = chat(gate, { readOnly: true });
  for (;;) {
    const { choices } = await openai.chat.completions.create({ model: 'gpt', messages, tools: files.tools });
    const message = choices[0]!.message;
    messages.push(message);
    if (!message.tool_calls) return message;
    messages.push(...await files.results(message.tool_calls));
  }
}

export async function byResponses(openai: OpenAI, gate: Gate, input: ResponseInputItem[]): Promise<Response> {
  const files = responses(gate, { only: ['read', 'grep'] });
  const response = await openai.responses.create({ model: 'gpt', input, tools: files.tools });
  input.push(...await files.results(response.output));
  return response;
}
