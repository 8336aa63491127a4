import type { LanguageModel } from 'ai';
import { generateText, stepCountIs } from 'ai';
import type { Gate } from 'fsgate';
import { tools } from 'fsgate/ai';

export async function answered(model: LanguageModel, gate: Gate): Promise<string> {
  const { text } = await generateText({ model, prompt: 'What is in the notes?', tools: tools(gate), stopWhen: stepCountIs(20) });
  return text;
}
