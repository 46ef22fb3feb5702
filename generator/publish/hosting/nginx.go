package hosting

import (
	"fmt"
	"mime"
	"net"
	"regexp"
	"slices"
	"strings"

	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
)

// nginx writes a file for conf.d. add_header takes no conditions, and a location's own ones hide those around it; so each header is
// a variable that the path decides about, and one that is empty isn't sent. $uri is decoded and clean: nobody gets around
// a rule by other ways to write an address.
func nginx(s Site) string {
	var b strings.Builder
	b.WriteString(s.comment("nginx") + "# It belongs into /etc/nginx/conf.d/, or wherever nginx.conf includes files inside http.\n\n")
	var names []string
	for _, rule := range s.Headers {
		for _, h := range rule.Headers {
			if rule.Path != everyPath && h.Name != "Content-Type" && !slices.Contains(names, h.Name) {
				names = append(names, h.Name)
			}
		}
	}
	for _, name := range names {
		fmt.Fprintf(&b, "map $uri %s {\n", s.nginxVariable(name))
		for _, h := range s.everywhere() {
			if h.Name == name {
				fmt.Fprintf(&b, "    default %s;\n", quoted(h.Value))
			}
		}
		for _, rule := range s.Headers {
			for _, h := range rule.Headers {
				if rule.Path != everyPath && h.Name == name {
					fmt.Fprintf(&b, "    %s %s;\n", quoted("~"+s.nginxPattern(rule.Path)), quoted(h.Value))
				}
			}
		}
		b.WriteString("}\n\n")
	}
	host, port, err := net.SplitHostPort(s.Host)
	if err != nil {
		host, port = s.Host, "80"
	}
	b.WriteString("server {\n    # For https: listen 443 ssl, with ssl_certificate and ssl_certificate_key.\n")
	fmt.Fprintf(&b, "    listen %s;\n    server_name %s;\n", port, host)
	b.WriteString("    absolute_redirect off;\n    charset utf-8;\n" +
		"    charset_types text/css text/javascript text/plain text/markdown text/calendar text/xml;\n\n    types {\n")
	var texts []string
	for _, t := range s.Types {
		name, _, err := mime.ParseMediaType(t.Name)
		if err != nil {
			panic("hosting: " + err.Error()) // generator/build/headers knows it
		}
		fmt.Fprintf(&b, "        %s %s;\n", name, strings.Join(t.Extensions, " "))
		if headers.IsText(name) && name != "text/html" { // which nginx compresses anyway
			texts = append(texts, name)
		}
	}
	b.WriteString("    }\n    default_type application/octet-stream;\n\n    gzip on;\n    gzip_vary on;\n    gzip_proxied any;\n")
	if len(texts) > 0 {
		fmt.Fprintf(&b, "    gzip_types %s;\n", strings.Join(texts, " "))
	}
	if slices.Contains(s.Encodings, "gzip") {
		b.WriteString("    gzip_static on;\n")
	}
	if slices.Contains(s.Encodings, "br") {
		b.WriteString("    # With the module for Brotli (Debian: libnginx-mod-http-brotli-static), remove the sign in front:\n    # brotli_static on;\n")
	}
	b.WriteString("\n")
	for _, h := range s.everywhere() {
		if !slices.Contains(names, h.Name) {
			fmt.Fprintf(&b, "    add_header %s %s always;\n", h.Name, quoted(h.Value))
		}
	}
	for _, name := range names {
		fmt.Fprintf(&b, "    add_header %s %s always;\n", name, s.nginxVariable(name))
	}
	fmt.Fprintf(&b, "\n    error_page 404 %s/404.html;\n", s.Prefix)
	if s.Prefix == "" {
		fmt.Fprintf(&b, "    root %s;\n", quoted(s.Folder))
	} else {
		fmt.Fprintf(&b, "    location = %s { return 301 %[1]s/; }\n    location %[1]s/ { alias %[2]s; }\n", s.Prefix, quoted(s.Folder+"/"))
	}
	for _, name := range s.Hidden {
		fmt.Fprintf(&b, "    location = %s { return 404; }\n", quoted(s.Prefix+"/"+name))
	}
	for _, rule := range s.Headers {
		for _, h := range rule.Headers {
			if h.Name == "Content-Type" {
				fmt.Fprintf(&b, "    location = %s {\n        types { }\n        default_type %s;\n        alias %s;\n    }\n",
					quoted(s.Prefix+rule.Path), h.Value, quoted(s.Folder+rule.Path))
			}
		}
	}
	for _, r := range s.Redirects {
		to := strings.ReplaceAll(r.To, "$", "%24")
		if folder, ok := strings.CutSuffix(s.Prefix+r.From, "*"); ok {
			fmt.Fprintf(&b, "    location ^~ %s { rewrite %s %s permanent; }\n", quoted(folder), quoted("^"+regexp.QuoteMeta(folder)+"(.*)$"),
				quoted(strings.TrimSuffix(to, "*")+"$1"))
			continue
		}
		for _, from := range []string{s.Prefix + r.From, s.Prefix + r.From + "/"} {
			fmt.Fprintf(&b, "    location = %s { return 301 %s; }\n", quoted(from), quoted(to))
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// nginxVariable holds a header's value. Its name says of which site, since an nginx may have several, and shortly:
// by itself nginx takes no names of more than 46 letters.
func (s Site) nginxVariable(header string) string {
	return "$site_" + output.Hash([]byte(s.Host + s.Prefix))[:6] + "_" + strings.ReplaceAll(strings.ToLower(header), "-", "_")
}

// nginxPattern matches what a rule matches.
func (s Site) nginxPattern(rule string) string {
	if folder, ok := strings.CutSuffix(rule, "/*"); ok {
		return "^" + regexp.QuoteMeta(s.Prefix+folder) + "(/|$)"
	}
	return "^" + regexp.QuoteMeta(s.Prefix+rule) + "$"
}

// quoted is a text in a configuration. Both servers leave a backslash alone but before a quotation mark.
func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` }
