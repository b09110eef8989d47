// opentelemetry.mjs PROTOCOL COLLECTOR UPSTREAM SESSION: asks a server that speaks as OpenAI's by the
// AI SDK 7 and by OpenAI's library, instrumented by the SDK's own telemetry and by OpenLLMetry, and
// exports the spans by OpenTelemetry's exporter of the protocol: grpc, http/protobuf or http/json.
// Prints the answers.
import { createOpenAI } from "@ai-sdk/openai";
import { OpenTelemetry } from "@ai-sdk/otel";
import { OTLPTraceExporter as GRPCExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { OTLPTraceExporter as JSONExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";
import { OpenAIInstrumentation } from "@traceloop/instrumentation-openai";
import { registerTelemetry, streamText } from "ai7";
import OpenAI from "openai";

const [protocol, collector, upstream, session] = process.argv.slice(2);
const exporter = {
  grpc: () => new GRPCExporter({ url: collector, compression: "gzip" }),
  "http/protobuf": () => new ProtobufExporter({ url: collector + "/v1/traces", compression: "gzip" }),
  "http/json": () => new JSONExporter({ url: collector + "/v1/traces" }),
}[protocol]();
const outcomes = [];
const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ "service.name": "shop", "session.id": session }),
  spanProcessors: [
    new BatchSpanProcessor({
      export: (spans, done) =>
        exporter.export(spans, (result) => {
          outcomes.push(result.error ? String(result.error) : "exported");
          done(result);
        }),
      forceFlush: () => exporter.forceFlush(),
      shutdown: () => exporter.shutdown(),
    }),
  ],
});
provider.register();
const server = { baseURL: new URL("/v1", upstream).href, apiKey: "none" };

registerTelemetry(new OpenTelemetry());
const bySDK = streamText({
  model: createOpenAI(server).chat("recorded"),
  prompt: "Which day is it?",
  maxRetries: 0,
  experimental_telemetry: { isEnabled: true, functionId: "greeter" },
});
const texts = [await bySDK.text];

const instrumentation = new OpenAIInstrumentation();
instrumentation.setTracerProvider(provider);
instrumentation.manuallyInstrument(OpenAI);
const stream = await new OpenAI({ ...server, maxRetries: 0 }).chat.completions.create({
  model: "recorded",
  messages: [{ role: "user", content: "Which day is it?" }],
  stream: true,
  stream_options: { include_usage: true },
});
let text = "";
for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
texts.push(text);

await provider.forceFlush();
await provider.shutdown();
console.log(JSON.stringify({ texts, outcomes }));
