package hosting

import (
	"fmt"
	"strings"
)

// caddy writes a Caddyfile. What is in route runs in the order in which it is written; paths are matched clean and decoded.
func caddy(s Site) string {
	var b strings.Builder
	address := s.Host
	if strings.Contains(address, ":") {
		address = "http://" + address // Caddy gets certificates for hosts at the usual port alone
	}
	fmt.Fprintf(&b, "%s\n%s {\n\troot * %s\n", s.comment("caddy"), address, quoted(s.Folder))
	if s.Prefix != "" {
		fmt.Fprintf(&b, "\tredir %s %[1]s/ 301\n\thandle_path %[1]s/* {\n", s.Prefix)
	}
	b.WriteString("\troute {\n")
	for _, t := range s.Types {
		fmt.Fprintf(&b, "\t\t@type_%s path *.%s\n\t\theader @type_%[1]s Content-Type %[3]s\n", strings.Join(t.Extensions, "_"),
			strings.Join(t.Extensions, " *."), quoted(t.Name))
	}
	for i, rule := range s.Headers {
		matcher := ""
		if rule.Path != everyPath {
			matcher = fmt.Sprintf(" @rule_%d", i)
			paths := quoted(rule.Path)
			if folder, ok := strings.CutSuffix(rule.Path, "/*"); ok {
				paths = quoted(folder) + " " + paths
			}
			fmt.Fprintf(&b, "\t\t@rule_%d path %s\n", i, paths)
		}
		fmt.Fprintf(&b, "\t\theader%s {\n", matcher)
		for _, h := range rule.Headers {
			fmt.Fprintf(&b, "\t\t\t%s %s\n", h.Name, quoted(h.Value))
		}
		b.WriteString("\t\t}\n")
	}
	for i, r := range s.Redirects {
		if folder, ok := strings.CutSuffix(r.From, "*"); ok {
			to := strings.TrimSuffix(r.To, "/*")
			if to == "" { // two slashes at the beginning would be another host's address
				to = "{scheme}://{hostport}"
			}
			fmt.Fprintf(&b, "\t\thandle_path %s {\n\t\t\tredir * %s 301\n\t\t}\n", quoted(folder+"*"), quoted(to+"{uri}"))
			continue
		}
		fmt.Fprintf(&b, "\t\t@moved_%d path %s %s\n\t\tredir @moved_%[1]d %[4]s 301\n", i, quoted(r.From), quoted(r.From+"/"), quoted(r.To))
	}
	if len(s.Hidden) > 0 {
		b.WriteString("\t\t@hidden path")
		for _, name := range s.Hidden {
			b.WriteString(" " + quoted("/"+name))
		}
		b.WriteString("\n\t\terror @hidden 404\n")
	}
	b.WriteString("\t\tencode zstd gzip\n\t\tfile_server")
	if len(s.Encodings) > 0 {
		fmt.Fprintf(&b, " {\n\t\t\tprecompressed %s\n\t\t}", strings.Join(s.Encodings, " "))
	}
	b.WriteString("\n\t}\n")
	if s.Prefix != "" {
		b.WriteString("\t}\n\thandle {\n\t\terror 404\n\t}\n")
	}
	b.WriteString("\thandle_errors {\n\t\theader {\n\t\t\tContent-Type \"text/html; charset=utf-8\"\n")
	missing := s.Headers.Match(notFound)
	for _, name := range s.names() {
		if value := missing.Get(name); value != "" {
			fmt.Fprintf(&b, "\t\t\t%s %s\n", name, quoted(value))
		} else if name != "Content-Type" {
			fmt.Fprintf(&b, "\t\t\t-%s\n", name)
		}
	}
	fmt.Fprintf(&b, "\t\t}\n\t\trewrite * %s\n\t\tfile_server\n\t}\n}\n", notFound)
	return b.String()
}
