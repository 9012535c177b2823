{{define "used"}}used AS (
  WITH if(mapContains(attrs_double, 'app.usage.cost'), attrs_double['app.usage.cost'], toFloat64(attrs_int['app.usage.cost'])) AS stated,
    (mapContains(attrs_double, 'app.usage.cost') OR mapContains(attrs_int, 'app.usage.cost')) AND isFinite(stated) AND stated >= 0
      AND attrs_text['app.usage.cost_basis'] NOT IN ('total', 'credits') AS of_call
  SELECT tenant, trace_id, span_id, min(start_ns) AS started, max(agent) AS by_agent, max(model) AS by_model, max(provider) AS by_provider,
    max(ifNull(input_tokens, 0)) AS input, max(ifNull(output_tokens, 0)) AS output,
    maxIf(stated, of_call) AS cost, max(of_call) AS priced,
    max(operation IN ('chat', 'text_completion', 'generate_content', 'embeddings')) AS inference
  {{template "steps"}} AND (input_tokens IS NOT NULL OR output_tokens IS NOT NULL OR of_call)
  GROUP BY tenant, trace_id, span_id
),
counted AS (
  SELECT *, max(inference) OVER (PARTITION BY tenant, trace_id) AS any_inference FROM used
),
usage AS (SELECT * FROM counted WHERE inference OR NOT any_inference){{end}}
