{{/* Names and labels. `sonde.name` takes (dict "root" $ "role" "api") or (dict "root" $). */}}
{{- define "sonde.name" -}}
{{- $base := ternary .root.Release.Name (printf "%s-sonde" .root.Release.Name) (contains "sonde" .root.Release.Name) | trunc 40 | trimSuffix "-" -}}
{{- with .role }}{{ $base }}-{{ . }}{{ else }}{{ $base }}{{ end -}}
{{- end }}

{{- define "sonde.selector" -}}
app.kubernetes.io/name: sonde
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .role }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{- define "sonde.labels" -}}
{{ include "sonde.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "sonde.metadata" -}}
name: {{ include "sonde.name" . }}
namespace: {{ .root.Release.Namespace }}
labels: {{- include "sonde.labels" . | nindent 2 }}
{{- end }}

{{/*
How many pods an upgrade asks for: (dict "root" $ "role" "api" "scaled" false "least" 2 "fixed" 2). What an autoscaler
owns keeps the number that runs now; without any number, Kubernetes would go to one pod before the autoscaler acts.
*/}}
{{- define "sonde.replicas" -}}
{{- if .scaled -}}
{{- $now := dig "spec" "replicas" 0 (lookup "apps/v1" "Deployment" .root.Release.Namespace (include "sonde.name" .)) -}}
{{ max (int $now) (int .least) }}
{{- else }}{{ .fixed }}{{ end -}}
{{- end }}

{{- define "sonde.image" -}}
{{- $i := .Values.image -}}
{{- if $i.digest }}{{ $i.repository }}@{{ $i.digest }}{{ else }}{{ $i.repository }}:{{ $i.tag | default .Chart.AppVersion }}{{ end -}}
{{- end }}

{{/* Where the servers are. */}}
{{- define "sonde.elasticsearchUrl" -}}
{{- if .Values.elasticsearch.eck.enabled -}}
https://{{ include "sonde.name" (dict "root" . "role" "search") }}-es-http.{{ .Release.Namespace }}.svc:9200
{{- else }}{{ .Values.elasticsearch.url }}{{ end -}}
{{- end }}

{{- define "sonde.caSecret" -}}
{{- if .Values.elasticsearch.eck.enabled }}{{ include "sonde.name" (dict "root" . "role" "search") }}-es-http-certs-public
{{- else }}{{ .Values.elasticsearch.caSecret }}{{ end -}}
{{- end }}

{{- define "sonde.brokerHost" -}}
{{- if .Values.broker.bundled.enabled }}{{ include "sonde.name" (dict "root" . "role" "valkey") }}{{ else }}{{ .Values.broker.host }}{{ end -}}
{{- end }}

{{/* That a certificate is checked is not said here: Sonde always does, and refuses a URL that says otherwise. */}}
{{- define "sonde.brokerUrl" -}}
{{- $b := .Values.broker -}}
{{ ternary "rediss" "redis" $b.tls }}://{{ if $b.passwordSecret }}:$(BROKER_PASSWORD)@{{ end }}{{ include "sonde.brokerHost" . }}:{{ $b.port | int }}/{{ $b.database | int }}
{{- end }}

{{/*
What the bundled Valkey may hold: two thirds of its memory limit, so that it refuses new tasks with a message before the
kernel kills it. The rest is for the copy that rewriting its file needs. Empty without a limit.
*/}}
{{- define "sonde.valkeyMemory" -}}
{{- with dig "limits" "memory" "" .Values.broker.bundled.resources -}}
{{- $parts := regexFind "^[0-9]+(Mi|Gi)$" (toString .) -}}
{{- if not $parts }}{{ fail (printf "broker.bundled.resources.limits.memory is %v: give whole Mi or Gi, such as 512Mi." .) }}{{ end -}}
{{- $mib := ternary 1024 1 (hasSuffix "Gi" $parts) | mul (regexFind "^[0-9]+" $parts | int) -}}
{{ div (mul $mib 2) 3 }}mb
{{- end -}}
{{- end }}

{{/* Where links in answers, mails and webhooks lead; an ingress with TLS has one address, others must be named. */}}
{{- define "sonde.publicUrl" -}}
{{- $given := get .Values.settings "SONDE_API__PUBLIC_URL" -}}
{{- if $given }}{{ $given }}
{{- else if and .Values.ingress.enabled .Values.ingress.host .Values.ingress.tlsSecret -}}
https://{{ .Values.ingress.host }}
{{- end -}}
{{- end }}

{{- define "sonde.sourcesConfigMap" -}}
{{- .Values.sourcesConfigMap | default (include "sonde.name" (dict "root" . "role" "sources")) -}}
{{- end }}

{{/* Users' files: the claim, and the roles that read or write them (the library worker reads and tidies; the documents
worker keeps public files there). */}}
{{- define "sonde.libraryClaim" -}}
{{- .Values.library.existingClaim | default (include "sonde.name" (dict "root" . "role" "library")) -}}
{{- end }}

{{- define "sonde.keepsFiles" -}}
{{- if and .root.Values.library.enabled (has .role (list "api" "worker-library" "worker-documents")) }}yes{{ end -}}
{{- end }}

{{/* One secret's key as an environment variable: (list VARIABLE SECRET KEY). */}}
{{- define "sonde.fromSecret" -}}
- name: {{ index . 0 }}
  valueFrom: {secretKeyRef: {name: {{ index . 1 | quote }}, key: {{ index . 2 }}}}
{{- end }}

{{/* Helm reads every number as a float and would write a million as 1e+06, which no setting takes for a whole number. */}}
{{- define "sonde.asText" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- end }}

{{/* A user of Elasticsearch: (dict "root" $ "secret" "") is Sonde's own, another secret another user of the same kind. */}}
{{- define "sonde.login" -}}
{{- $es := .root.Values.elasticsearch -}}
{{- $secret := .secret | default (ternary $es.eck.userSecret $es.credentialsSecret $es.eck.enabled) -}}
{{- if and $secret (not $es.eck.enabled) (eq $es.credentialsKind "apiKey") }}
{{ include "sonde.fromSecret" (list "SONDE_ELASTICSEARCH__API_KEY" $secret "apiKey") }}
{{- else if $secret }}
{{ include "sonde.fromSecret" (list "SONDE_ELASTICSEARCH__USERNAME" $secret "username") }}
{{ include "sonde.fromSecret" (list "SONDE_ELASTICSEARCH__PASSWORD" $secret "password") }}
{{- end }}
{{- end }}

{{/* The one environment of all roles: what the chart's values say, then `settings`. */}}
{{- define "sonde.env" -}}
{{ include "sonde.ownEnv" . }}
{{- range $name, $value := .Values.settings }}
- {name: {{ $name }}, value: {{ include "sonde.asText" $value | quote }}}
{{- end }}
{{- end }}

{{- define "sonde.ownEnv" -}}
- {name: SONDE_INDEX__PREFIX, value: {{ .Values.indexPrefix | quote }}}
- {name: SONDE_ELASTICSEARCH__URL, value: {{ include "sonde.elasticsearchUrl" . | quote }}}
{{- if include "sonde.caSecret" . }}
- {name: SONDE_ELASTICSEARCH__CA_CERTS, value: /etc/sonde/ca/ca.crt}
{{- end }}
{{- with .Values.broker.passwordSecret }}
{{ include "sonde.fromSecret" (list "BROKER_PASSWORD" . "password") }}
{{- end }}
- {name: SONDE_BROKER__URL, value: {{ include "sonde.brokerUrl" . | quote }}}
{{- if .Values.broker.caSecret }}
- {name: SONDE_BROKER__CA_CERTS, value: /etc/sonde/broker-ca/ca.crt}
{{- end }}
- {name: SONDE_LIBRARY__ENABLED, value: {{ .Values.library.enabled | quote }}}
{{- if .Values.library.enabled }}
- {name: SONDE_LIBRARY__FOLDER, value: /var/lib/sonde/library}
{{- end }}
{{- if and (or .Values.ingress.enabled .Values.gateway.enabled) (not (hasKey .Values.settings "SONDE_LIMITS__PROXIES")) }}
- {name: SONDE_LIMITS__PROXIES, value: "1"}
{{- end }}
{{- if not (get .Values.settings "SONDE_API__PUBLIC_URL") }}
{{- with include "sonde.publicUrl" . }}
- {name: SONDE_API__PUBLIC_URL, value: {{ . | quote }}}
{{- end }}
{{- end }}
- {name: SONDE_HARVEST__SOURCES, value: /etc/sonde/sources/sources.yaml}
{{- with .Values.alerts }}
{{- if .secret }}
{{ include "sonde.fromSecret" (list "SONDE_ALERTS__SECRET" .secret "secret") }}
{{- end }}
{{- end }}
- {name: SONDE_ALERTS__HOUR, value: {{ int .Values.alerts.hour | quote }}}
{{- with .Values.mail }}
{{- if .host }}
- {name: SONDE_MAIL__HOST, value: {{ .host | quote }}}
- {name: SONDE_MAIL__PORT, value: {{ int .port | quote }}}
- {name: SONDE_MAIL__TLS, value: {{ .tls | quote }}}
- {name: SONDE_MAIL__SENDER, value: {{ .sender | quote }}}
{{- if .operator }}
- {name: SONDE_MAIL__OPERATOR, value: {{ .operator | quote }}}
{{- end }}
{{- if .credentialsSecret }}
{{ include "sonde.fromSecret" (list "SONDE_MAIL__USERNAME" .credentialsSecret "username") }}
{{ include "sonde.fromSecret" (list "SONDE_MAIL__PASSWORD" .credentialsSecret "password") }}
{{- end }}
{{- end }}
{{- end }}
{{- if .Values.evaluation.configMap }}
- {name: SONDE_EVALUATION__QUERIES, value: /etc/sonde/judged/queries.jsonl}
- {name: SONDE_EVALUATION__QRELS, value: /etc/sonde/judged/qrels.tsv}
- {name: SONDE_EVALUATION__FALL, value: {{ .Values.evaluation.fall | quote }}}
{{- end }}
{{- end }}

{{/* The restricted profile of the Pod Security Standards. (dict "uid" 10001) */}}
{{- define "sonde.podSecurity" -}}
runAsNonRoot: true
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "sonde.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "sonde.spread" -}}
{{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
- maxSkew: 1
  topologyKey: {{ . }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector:
    matchLabels: {{- include "sonde.selector" $ | nindent 6 }}
{{- end }}
{{- end }}

{{/*
The pod of a role: (dict "root" $ "role" "api" "args" (list "api") "resources" ... "seconds" 60
"env" YAML "probes" YAML "ports" YAML "restart" "Always" "login" "another user's secret").
*/}}
{{- define "sonde.pod" -}}
{{- $ := .root -}}
metadata:
  labels:
    {{- include "sonde.labels" . | nindent 4 }}
    {{- with $.Values.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
  annotations:
    {{- /* The API reads titles of sources at start; workers and beat read the file again by themselves. */}}
    {{- if eq .role "api" }}
    checksum/sources: {{ toYaml $.Values.sources | sha256sum }}
    {{- end }}
    checksum/settings: {{ toYaml $.Values.settings | sha256sum }}
    {{- with $.Values.podAnnotations }}{{ toYaml . | nindent 4 }}{{ end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  restartPolicy: {{ .restart | default "Always" }}
  terminationGracePeriodSeconds: {{ .seconds | default 60 | int }}
  securityContext: {{- include "sonde.podSecurity" 10001 | nindent 4 }}
  {{- with $.Values.image.pullSecrets }}
  imagePullSecrets: {{- range . }}{{ printf "\n    - {name: %s}" . }}{{ end }}
  {{- end }}
  {{- with $.Values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $.Values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if and $.Values.topologySpread (eq (.restart | default "Always") "Always") }}
  topologySpreadConstraints: {{- include "sonde.spread" (dict "root" $ "role" .role) | trim | nindent 4 }}
  {{- end }}
  containers:
    - name: sonde
      image: {{ include "sonde.image" $ | quote }}
      imagePullPolicy: {{ $.Values.image.pullPolicy }}
      args: {{- toYaml .args | nindent 8 }}
      env:
        {{- include "sonde.env" $ | nindent 8 }}
        {{- with include "sonde.login" (dict "root" $ "secret" (.login | default "")) }}{{ . | trim | nindent 8 }}{{ end }}
        {{- with .env }}{{ . | trim | nindent 8 }}{{ end }}
        {{- with $.Values.extraEnv }}{{ toYaml . | nindent 8 }}{{ end }}
      {{- with .ports }}
      ports: {{- . | trim | nindent 8 }}
      {{- end }}
      {{- with .probes }}{{ . | trim | nindent 6 }}{{ end }}
      resources: {{- toYaml .resources | nindent 8 }}
      securityContext: {{- include "sonde.containerSecurity" $ | nindent 8 }}
      volumeMounts:
        - {name: tmp, mountPath: /tmp}
        {{- if not (has .role (list "migrate" "backup")) }}
        - {name: sources, mountPath: /etc/sonde/sources, readOnly: true}
        {{- end }}
        {{- if $.Values.evaluation.configMap }}
        - {name: judged, mountPath: /etc/sonde/judged, readOnly: true}
        {{- end }}
        {{- if include "sonde.caSecret" $ }}
        - {name: ca, mountPath: /etc/sonde/ca, readOnly: true}
        {{- end }}
        {{- if $.Values.broker.caSecret }}
        - {name: broker-ca, mountPath: /etc/sonde/broker-ca, readOnly: true}
        {{- end }}
        {{- if include "sonde.keepsFiles" . }}
        - {name: library, mountPath: /var/lib/sonde/library}
        {{- end }}
        {{- if $.Values.models.existingClaim }}
        - {name: models, mountPath: /opt/models, readOnly: true}
        {{- end }}
        {{- with $.Values.extraVolumeMounts }}{{ toYaml . | nindent 8 }}{{ end }}
  volumes:
    - {name: tmp, emptyDir: {sizeLimit: {{ $.Values.tmpSize }}}}
    {{- if not (has .role (list "migrate" "backup")) }}
    - {name: sources, configMap: {name: {{ include "sonde.sourcesConfigMap" $ | quote }}}}
    {{- end }}
    {{- with $.Values.evaluation.configMap }}
    - {name: judged, configMap: {name: {{ . | quote }}}}
    {{- end }}
    {{- with include "sonde.caSecret" $ }}
    - {name: ca, secret: {secretName: {{ . | quote }}, items: [{key: ca.crt, path: ca.crt}]}}
    {{- end }}
    {{- with $.Values.broker.caSecret }}
    - {name: broker-ca, secret: {secretName: {{ . | quote }}, items: [{key: ca.crt, path: ca.crt}]}}
    {{- end }}
    {{- if include "sonde.keepsFiles" . }}
    - {name: library, persistentVolumeClaim: {claimName: {{ include "sonde.libraryClaim" $ | quote }}}}
    {{- end }}
    {{- with $.Values.models.existingClaim }}
    - {name: models, persistentVolumeClaim: {claimName: {{ . | quote }}, readOnly: true}}
    {{- end }}
    {{- with $.Values.extraVolumes }}{{ toYaml . | nindent 4 }}{{ end }}
{{- end }}
