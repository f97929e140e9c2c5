// Oasdiff judges pairs of tools with the library of oasdiff, for benchmarks/diff.
//
// It reads a question a line and answers in a line, as programs/loop.py describes. OpenAPI knows
// operations and no tools: a tool becomes an operation of an OpenAPI 3.1 document, its input schema
// the body of the request and its output schema that of the response. A breaking change is one of
// level error, which is what `oasdiff breaking --fail-on ERR` fails on.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
)

type tool struct {
	Name         string `json:"name"`
	InputSchema  any    `json:"inputSchema"`
	OutputSchema any    `json:"outputSchema"`
}

type question struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

type answer struct {
	Reading  float64           `json:"reading"`
	Seconds  float64           `json:"seconds"`
	Verdicts map[string]string `json:"verdicts"`
}

func main() {
	lines := bufio.NewReader(os.Stdin)
	answers := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		var asked question
		if err == nil {
			err = json.Unmarshal(line, &asked)
		}
		if err == nil {
			err = answers.Encode(judge(asked))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// judge gives every tool that is in both lists its verdict. Wrapping and loading count as reading.
func judge(asked question) answer {
	started := time.Now()
	before, err := read(asked.Before)
	if err != nil {
		return answer{0, time.Since(started).Seconds(), map[string]string{"": "error"}}
	}
	after, err := read(asked.After)
	if err != nil {
		return answer{0, time.Since(started).Seconds(), map[string]string{"": "error"}}
	}
	readAt := time.Now()
	verdicts := map[string]string{}
	for name, old := range before {
		if changed, ok := after[name]; ok {
			verdicts[name] = verdict(old, changed)
		}
	}
	return answer{readAt.Sub(started).Seconds(), time.Since(readAt).Seconds(), verdicts}
}

// read loads each tool of a list by its name; one that cannot be loaded is nil.
func read(text string) (map[string]*load.SpecInfo, error) {
	var list []tool
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, err
	}
	specifications := map[string]*load.SpecInfo{}
	for _, each := range list {
		specifications[each.Name] = specification(each)
	}
	return specifications, nil
}

func verdict(before, after *load.SpecInfo) (said string) {
	defer func() {
		if recover() != nil {
			said = "error"
		}
	}()
	if before == nil || after == nil {
		return "error"
	}
	differences, sources, err := diff.GetPathsDiff(
		diff.NewConfig(), []*load.SpecInfo{before}, []*load.SpecInfo{after})
	if err != nil {
		return "error"
	}
	config := checker.NewConfig(checker.GetAllChecks())
	if checker.CheckBackwardCompatibility(config, differences, sources).HasLevelOrHigher(checker.ERR) {
		return "breaking"
	}
	return "fine"
}

// specification wraps a tool and loads it, or is nil. The schemas are components, so that their own
// references keep working.
func specification(it tool) *load.SpecInfo {
	schemas := map[string]any{}
	operation := map[string]any{"operationId": "call"}
	success := map[string]any{"description": "The result."}
	if it.InputSchema != nil {
		schemas["Input"] = within(it.InputSchema, "#/components/schemas/Input")
		operation["requestBody"] = map[string]any{"required": true, "content": content("Input")}
	}
	if it.OutputSchema != nil {
		schemas["Output"] = within(it.OutputSchema, "#/components/schemas/Output")
		success["content"] = content("Output")
	}
	operation["responses"] = map[string]any{"200": success}
	document, err := json.Marshal(map[string]any{
		"openapi":    "3.1.0",
		"info":       map[string]any{"title": "One tool", "version": "1"},
		"paths":      map[string]any{"/call": map[string]any{"post": operation}},
		"components": map[string]any{"schemas": schemas},
	})
	if err != nil {
		return nil
	}
	parsed, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil
	}
	return &load.SpecInfo{Url: "tool", Spec: parsed}
}

func content(schema string) map[string]any {
	reference := map[string]any{"$ref": "#/components/schemas/" + schema}
	return map[string]any{"application/json": map[string]any{"schema": reference}}
}

// within moves the references of a schema to where the schema now is in the document.
func within(value any, place string) any {
	switch it := value.(type) {
	case map[string]any:
		moved := map[string]any{}
		for name, member := range it {
			reference, isText := member.(string)
			if name == "$ref" && isText && strings.HasPrefix(reference, "#") {
				moved[name] = place + strings.TrimPrefix(reference, "#")
			} else {
				moved[name] = within(member, place)
			}
		}
		return moved
	case []any:
		moved := make([]any, len(it))
		for i, item := range it {
			moved[i] = within(item, place)
		}
		return moved
	}
	return value
}
