{{/* The prefix of the names of objects; short enough for what follows it. */}}
{{- define "proxar.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 53 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 53 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{/* What selects the operator's pod; never changes between versions, since a Deployment's selector cannot. */}}
{{- define "proxar.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: operator
{{- end }}

{{/* What selects the pod of `helm test`. */}}
{{- define "proxar.doctorLabels" -}}
{{- merge (dict "app.kubernetes.io/component" "doctor") (include "proxar.labels" . | fromYaml) | toYaml -}}
{{- end }}

{{/* Labels on every object. */}}
{{- define "proxar.labels" -}}
{{- $ours := dict "helm.sh/chart" (printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_") "app.kubernetes.io/version" .Chart.AppVersion "app.kubernetes.io/managed-by" .Release.Service -}}
{{- merge (include "proxar.selectorLabels" . | fromYaml) $ours .Values.commonLabels | toYaml -}}
{{- end }}

{{/* The name of the ServiceAccount. */}}
{{- define "proxar.serviceAccountName" -}}
{{- default (include "proxar.fullname" .) .Values.serviceAccount.name -}}
{{- end }}

{{/* The image, by digest where there is one. */}}
{{- define "proxar.image" -}}
{{- $tagged := printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $tagged .Values.image.digest -}}
{{- else -}}
{{- $tagged -}}
{{- end -}}
{{- end }}
