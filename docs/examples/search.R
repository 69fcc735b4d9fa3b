library(httr2)
sonde <- request(Sys.getenv("SONDE_URL", "http://localhost:8080"))
answer <- sonde |> req_url_path_append("search") |>
  req_url_query(q = "rainfall in southern Africa since 1990", bbox = "10,-36,52,0", limit = 3) |>
  req_error(body = \(resp) resp_body_json(resp, check_type = FALSE)$detail) |>
  req_perform() |> resp_body_json(check_type = FALSE)
cat(answer[["sonde:total"]], "records\n")
for (hit in answer$features) {
  cat(round(hit[["sonde:score"]], 2), hit$properties$title, "\n")
}
