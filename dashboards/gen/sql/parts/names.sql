{{define "names"}}names AS (
  SELECT tenant, if(kind = 0, concat('trace:', lower(hex(key))), key) AS name, argMax(root_task_id, ver) AS run
  FROM run_roots
  WHERE key GLOBAL IN (SELECT if(startsWith(root_task_id, 'trace:'), unhex(substring(root_task_id, 7)), root_task_id) {{template "steps"}})
  GROUP BY tenant, kind, key
){{end}}
