#!/usr/bin/env python3
"""build_hub.py SHARED_DIR OUT_DIR: make the hub of the context-quality benchmark.

Reads the third-party records under SHARED_DIR/data at run time and writes events of the design's shape to
OUT_DIR/sources/<source>/<UTC date>.<clone>.ndjson. Deterministic: no clock, no random numbers, sorted input.
None of the third-party text is kept in this folder: what to take is named by file, by heading pattern or by event id.
Event ids are uuid5 of (origin, ts, summary), so a changed rule below changes only the ids of what it touches;
`tasks.jsonl` names events by these ids. The last line printed is a hash of all events.
"""
import hashlib, json, re, sys, unicodedata, uuid
from collections import Counter, defaultdict
from datetime import datetime, timedelta, timezone
from pathlib import Path

NS = uuid.UUID('6f1d0f0e-7f0e-5a39-9c51-0a8b1c0c7a11')
EVENTS = []


# ---------------------------------------------------------------- helpers

def clean(s):
    s = re.sub(r'\[\[([^\]]+)\]\]', r'\1', s)
    s = re.sub(r'!?\[([^\]]*)\]\([^)]*\)', r'\1', s)
    s = s.replace('**', '').replace('`', '').replace('__', '')
    s = ''.join(c for c in s if unicodedata.category(c) not in ('Cf', 'Cc', 'Co', 'Cs') and c not in '\ufe0e\ufe0f' or c in '\n\t')
    s = re.sub(r'\b0\d{9}\b', '[number]', s)
    return re.sub(r'\s+', ' ', s).strip(' \t\n|')


def short(s, n=400):
    s = clean(s)
    if len(s) <= n:
        return s
    cut = s[:n]
    for sep in ('. ', '; ', ', ', ' '):
        i = cut.rfind(sep)
        if i > n * 0.5:
            return cut[:i].rstrip(' ,;') + ' …'
    return cut + ' …'


def first_sentence(s, n=300):
    s = clean(s)
    m = re.match(r'(.{40,%d}?[.!?])(?:\s|$)' % n, s)
    return m.group(1) if m else short(s, n)


def body(s, n=3000):
    s = ''.join(c for c in s if unicodedata.category(c) not in ('Cf', 'Co', 'Cs') and (c in '\n\t' or unicodedata.category(c) != 'Cc') and c not in '\ufe0e\ufe0f')
    s = re.sub(r'\b0\d{9}\b', '[number]', s).strip()
    return s if len(s) <= n else s[:n].rsplit('\n', 1)[0] + '\n…'


def h(s):
    return int(hashlib.sha256(s.encode()).hexdigest()[:8], 16)


def at(day, minute=0):
    """A UTC time `minute` minutes after 08:00 of a day."""
    return (datetime.fromisoformat(day).replace(hour=8, tzinfo=timezone.utc) + timedelta(minutes=minute)).strftime('%Y-%m-%dT%H:%M:%SZ')


def ev(origin, ts, source, kind, scope, summary, **kw):
    summary = short(summary, 480)
    if len(summary) < 12:
        return None
    e = {'event_id': str(uuid.uuid5(NS, '\n'.join((origin, ts, summary)))), 'ts': ts, 'source': source, 'kind': kind, 'scope': scope, 'summary': summary}
    e['importance'] = 0.5
    for k, v in kw.items():
        if v not in (None, '', [], {}):
            e[k] = v
    e['origin'] = {'tool': origin.split('/')[0], 'id': origin}
    if any(x['event_id'] == e['event_id'] for x in BY_ID.get(e['event_id'], ())):
        return None
    BY_ID[e['event_id']].append(e)
    EVENTS.append(e)
    return e


BY_ID = defaultdict(list)


def blocks(text, keep_intro=False):
    """(headings, text, rest) of each top-level bullet, numbered item, table row or paragraph of a Markdown text."""
    heads, out, cur, code, table_head = [], [], None, False, None

    def flush():
        nonlocal cur
        if cur:
            out.append((tuple(x for _, x in cur[0]), cur[1], '\n'.join(cur[2])))
        cur = None
    for line in text.split('\n'):
        if line.startswith('```'):
            code = not code
            continue
        if code:
            if cur:
                cur[2].append(line)
            elif out and out[-1][1].endswith(':'):
                out[-1] = (out[-1][0], out[-1][1], (out[-1][2] + '\n' + line).strip('\n'))
            continue
        m = re.match(r'(#{1,5})\s+(.*)', line)
        if m:
            flush()
            table_head = None
            lv = len(m.group(1))
            heads = [x for x in heads if x[0] < lv] + [(lv, clean(m.group(2)))]
            continue
        if re.match(r'\s*([-*_]\s*){3,}$', line) or line.startswith('>') or not line.strip():
            if not line.strip() and cur and cur[3] == 'b':
                continue
            flush()
            continue
        if line.startswith('|'):
            flush()
            cells = [clean(c) for c in line.strip().strip('|').split('|')]
            if set(''.join(cells)) <= set('-: '):
                continue
            if table_head is None:
                table_head = cells
                continue
            row = '; '.join('%s: %s' % (a, b) if a else b for a, b in zip(table_head[1:], cells[1:]) if b)
            out.append((tuple(x for _, x in heads), '%s — %s' % (cells[0], row), ''))
            continue
        m = re.match(r'(?:[-*]|\d+\.)\s+(?:\[[ x]\]\s+)?(.*)', line)
        if m:
            flush()
            cur = (list(heads), m.group(1), [], 'b')
        elif cur and (line.startswith((' ', '\t')) or cur[3] == 'p'):
            if cur[3] == 'p':
                cur = (cur[0], cur[1] + ' ' + line.strip(), cur[2], 'p')
            else:
                cur[2].append(line)
        else:
            flush()
            cur = (list(heads), line.strip(), [], 'p')
    flush()
    out = [(hd, t + ' ' + rest.strip().split('\n')[0] if t.endswith(':') and rest.strip() else t, rest) for hd, t, rest in out]
    return [b for b in out if not b[1].endswith(':') or b[2]] if not keep_intro else out


def joined(bl, n=400):
    """The texts of blocks in one line, as far as they fit."""
    out = ''
    for b in bl:
        t = clean(b[1]).rstrip(' ;:.')
        if out and len(out) + len(t) > n:
            return out + ' …'
        out += ('; ' if out else '') + t
    return out


def grouped(text):
    """Blocks with all items of one heading in one: (headings, joined text, all texts)."""
    by = {}
    for heads, t, rest in blocks(text, True):
        by.setdefault(heads, []).append((heads, t, rest))
    return [(hd, joined(bl), '\n'.join('- ' + t + ('\n' + rest if rest else '') for _, t, rest in bl)) for hd, bl in by.items()]


def sections(text, level):
    """(heading, text) of each heading of this level."""
    parts = re.split(r'(?m)^%s\s+(.*)$' % ('#' * level), text)
    return list(zip(parts[1::2], parts[2::2]))


def front(text):
    m = re.match(r'---\n(.*?)\n---\n', text, re.S)
    if not m:
        return {}, text
    return dict(re.findall(r'(?m)^(\w[\w-]*):[ ]*(.*)$', m.group(1))), text[m.end():]


def tidy_head(s):
    s = re.sub(r'^[^\w(]+', '', s)
    s = re.sub(r'\(?\d{4}-\d\d-\d\d\)?( \d\d:\d\d)?( ?UTC)?\s*[—–-]*\s*', '', s)
    return re.sub(r'^[\d.:–\- ]+(?:UTC)?\s*[—–-]*\s*', '', s).strip()


# ---------------------------------------------------------------- an OpenClaw workspace

RALPH, CONST = 'vps-ralph', 'vps-constituent'
LOB = dict(project='lobsterops')


def lobster(root):
    p = root / 'import/openclaw--lobsterops'
    day0 = '2026-02-19'
    skip = r'Session Summary|Emotional|Reflection|Fichier|Livrable|Contexte Session|Documentation Updated|Résumé Quotidien|Next Steps Ident|Red Flags|Pre-Installation'

    def each(name, ts, fn, source=RALPH, group=None):
        raw = (p / name).read_text('utf-8')
        rows = blocks(raw)
        if group:
            rows = [r for r in rows if r[0] and not re.search(group, r[0][-1])] + [r for r in grouped(raw) if r[0] and re.search(group, r[0][-1])]
        for i, (heads, text, rest) in enumerate(rows):
            if text.startswith('_This is'):
                continue
            got = fn(heads, text, rest)
            if got:
                kind, scope, summary, kw = got
                ev('lobsterops/%s#%d' % (name, i), at(ts, i), source, kind, scope, summary, **kw)

    def user(heads, text, rest):
        hd = ' / '.join(heads[1:])
        if re.search(r'Basic Info|Technical Context', hd):
            return 'fact', 'profile', text, {'importance': 0.8}
        if re.search(r'Current Projects', hd):
            return 'fact', 'project', '%s: %s' % (heads[-1], text), dict(LOB, importance=0.5)
        if re.search(r'Platform Formatting|Telegram', hd):
            return 'rule', 'stable', '%s: %s' % (heads[-1], text), {'importance': 0.7}
        if re.search(r'What to Avoid', hd):
            return 'preference', 'profile', 'Avoid: %s' % text, {'importance': 0.8}
        return 'preference', 'profile', '%s: %s' % (heads[-1], text), {'importance': 0.7}
    each('config/USER.md', '2026-02-16', user, group='LobsterOps|TheAgents|Telegram|Discord')

    def memory(heads, text, rest):
        hd = ' / '.join(heads)
        if 'Opérateur' in hd:
            return 'fact', 'profile', text, {'importance': 0.7}
        if 'Leçons' in hd:
            s = '%s: %s' % (tidy_head(heads[-1]), text)
            return 'lesson', 'agent', s, dict(LOB, agent=RALPH, importance=0.8, detail=body(rest), lesson={'context': heads[-1]})
        if 'Heuristiques' in hd:
            return 'preference', 'stable', text, {'importance': 0.6}
        return 'fact', 'project', '%s: %s' % (tidy_head(heads[-1]), text), LOB
    each('config/MEMORY.md', day0, memory, group='Docs de')

    def agents(heads, text, rest):
        hd = ' / '.join(heads)
        if 'L3' in heads[-1] or 'Procédure' in hd or 'SIGUSR1' in hd:
            return 'rule', 'project', '%s: %s' % (heads[-1], text), dict(LOB, importance=0.9)
        if 'L1' in heads[-1] or 'L2' in heads[-1]:
            return 'rule', 'project', '%s: %s' % (heads[-1], text), dict(LOB, importance=0.7)
        return 'rule', 'agent', '%s: %s' % (heads[-1], text), dict(LOB, agent=RALPH, importance=0.6)
    each('config/AGENTS.md', day0, agents, group='L1|L2|Proc|Boot|Memory|Formatting')

    def tools(heads, text, rest):
        if re.search(r'Key Files|Installed Skills|Structure|Performance', heads[-1]) or len(text) < 25:
            return None
        return 'fact', 'project', '%s: %s' % (tidy_head(heads[-1]), text), dict(LOB, importance=0.5, detail=body(rest))
    each('config/TOOLS.md', '2026-02-16', tools, group='Coordination|External|Metrics|Security|Monitoring|Credentials|VPS')

    def heartbeat(heads, text, rest):
        if 'Voyage' in heads[-1]:
            return 'temporary', 'project', '%s: %s' % (heads[-1], text), dict(LOB, valid_until='2026-02-28')
        return 'rule', 'project', '%s / %s: %s' % (tidy_head(heads[0]), tidy_head(heads[-1]), text), LOB
    each('config/HEARTBEAT.md', day0, heartbeat, group='.')

    lines = (p / 'config/SOUL.md').read_text('utf-8').split('\n')
    zone = ''
    for i, line in enumerate(lines):
        if re.match(r'Ce que tu NE fais', line):
            zone = 'no'
        elif re.match(r'Règles opérationnelles', line):
            zone = 'rules'
        elif zone and len(line) > 25:
            ev('lobsterops/SOUL.md#%d' % i, at('2026-02-18', i), RALPH, 'rule', 'agent', line, agent=RALPH, importance=0.7, **LOB)

    # daily logs: lessons, decisions and metrics line by line, other sections as one note each
    for f in sorted((p / 'memory').glob('2026-02-*.md')):
        day = f.name[:10]
        if len(f.name) > 13:
            continue
        text = f.read_text('utf-8')
        n = 0
        for head, sec in sections(text, 2):
            subs = sections(sec, 3)
            clock = re.match(r'\W*(\d\d):(\d\d)', head)
            off = int(clock.group(1)) * 60 + int(clock.group(2)) - 480 if clock else None
            units = [(head, re.split(r'(?m)^### ', sec)[0])] + [('%s / %s' % (head, a), b) for a, b in subs]
            for hd, part in units:
                n += 1
                if len(part.strip()) < 40 or re.search(skip, hd):
                    continue
                hd = tidy_head(clean(hd))
                m0 = n * 5 if off is None else off + (n % 5)
                o = 'lobsterops/memory/%s#%d' % (f.name, n)
                if re.search(r'Lesson|Learn|Leçon|Insights|Apprentissages|Patterns|Strategic Insights|Grok Reliability', hd):
                    bl = blocks(part)
                    if re.search('Leçon|Consolidation|Vitesse|Workflow', hd):
                        bl = [((), joined(bl, 420), '\n'.join('- ' + b[1] for b in bl))]
                    for j, (_, t, rest) in enumerate(bl):
                        if len(t) > 30 and not re.search(r'(status|closed|updated|\.md \()', t[:60]):
                            ev('%s.%d' % (o, j), at(day, m0 + j), RALPH, 'lesson', 'agent', '%s: %s' % (hd.split(' / ')[-1], t), agent=RALPH, importance=0.6, detail=body(rest), lesson={'context': hd}, **LOB)
                elif re.search(r'Décisions|Decision|Strategic Decisions|DECISION|Règles ajoutées|Recommandation|Model Strategy|Self-Replication Arch', hd):
                    bl = blocks(part)
                    if bl and 'Décisions' not in hd:
                        ev(o, at(day, m0), RALPH, 'decision', 'project', '%s: %s' % (hd.split(' / ')[-1] if len(hd) > 80 else hd, joined(bl)), importance=0.7, detail=body(part), decision={'status': 'pending' if 'Recommandation' in hd else 'approved', 'rationale': short(' '.join(b[1] for b in bl[1:]), 400), 'by': 'Owner-A'}, **LOB)
                    else:
                        for j, (_, t, rest) in enumerate(bl):
                            if len(t) > 25:
                                ev('%s.%d' % (o, j), at(day, m0 + j), RALPH, 'decision', 'project', '%s: %s' % (hd.split(' / ')[-1], t), importance=0.7, detail=body(rest), decision={'status': 'approved', 'rationale': short(rest, 300), 'by': 'Owner-A'}, **LOB)
                else:
                    bl = blocks(part)
                    if not bl:
                        continue
                    big = len(bl) > 6
                    if re.search(r'Heartbeat|Status|Alerts|État|Git|Fichiers', hd):
                        ev(o, at(day, m0), RALPH, 'observation', 'fuzzy', '%s: %s' % (hd, joined(bl, 250)), detail=body(part, 1500), importance=0.3, **LOB)
                    else:
                        ev(o, at(day, m0), RALPH, 'note' if big else 'project-update', 'daily' if big else 'project', '%s: %s' % (hd, joined(bl)), detail=body(part), importance=0.5, **LOB)

    # coordination log, active tasks, audits, monitoring logs
    for head, sec in sections((p / 'memory/coordination-log.md').read_text('utf-8').replace('\n### 2026', '\n## 2026'), 2):
        m = re.match(r'(2026-02-\d\d) (\d\d):(\d\d)', head)
        bl = blocks(sec)
        if not m or not bl:
            continue
        ts = '%sT%s:%s:00Z' % m.groups()
        hd = tidy_head(clean(head))
        o = 'lobsterops/coordination-log#' + m.group(0)
        routine = re.search(r'Heartbeat|Health Check|Maintenance|ACK|Processed', hd)
        les = [b for b in bl if b[0] and re.match('Learning', b[0][-1])]
        for j, b in enumerate(les):
            ev('%s.%d' % (o, j), ts, CONST if j % 2 else RALPH, 'lesson', 'project', b[1], importance=0.6, lesson={'context': hd}, **LOB)
        kind = 'observation' if routine else 'decision' if re.search(r'PIVOT|Approvals|PERMANENT|Rule', hd) else 'project-update'
        kw = {'decision': {'status': 'approved', 'rationale': short('; '.join(b[1] for b in bl[1:5]), 400), 'by': 'Owner-A'}} if kind == 'decision' else {}
        ev(o, ts, CONST if h(o) % 3 == 0 else RALPH, kind, 'fuzzy' if routine else 'project', '%s: %s' % (hd, joined(bl, 380)), detail=body(sec), importance=0.3 if routine else 0.6, **kw, **LOB)
    for head, sec in sections((p / 'memory/active-tasks.md').read_text('utf-8'), 3):
        bl = blocks(sec)
        if bl:
            ev('lobsterops/active-tasks#' + head[:40], at('2026-02-16', 240 + h(head) % 60), RALPH, 'task', 'project', '%s: %s' % (tidy_head(clean(head)), joined(bl, 350)), detail=body(sec), **LOB)
    for name in ('citizen-skill-security-audit', 'constitution-skill-security-audit', 'constituent-skills-security', 'fallback-test-2026-02-15', 'openclaw-security-log', 'skills-security-alerts', 'tar-token-log', 'tar-github-log'):
        text = (p / 'memory' / (name + '.md')).read_text('utf-8')
        day = '2026-02-19' if name == 'openclaw-security-log' else '2026-02-14' if name == 'tar-token-log' else '2026-02-15'
        for j, (head, sec) in enumerate(sections(text, 2)):
            bl = blocks(sec)
            if not bl:
                continue
            hd = tidy_head(clean(head)) or name
            if re.search(skip, hd):
                continue
            dm = re.match(r'2026-02-\d\d', head)
            day = dm.group(0) if dm else day
            if 'Learning' in hd:
                for k, (a, b) in enumerate(sections(sec, 3)):
                    ev('lobsterops/%s#%d.%d' % (name, j, k), at(day, j * 3 + k), RALPH, 'lesson', 'agent', '%s: %s' % (clean(a), first_sentence(b, 400)), agent=RALPH, importance=0.7, detail=body(b), lesson={'context': 'model fallback test'}, **LOB)
                continue
            kind = 'decision' if 'Decision' in hd else 'rule' if re.search(r'Monitoring Plan|Git Ignore|Post-Deployment Conf', hd) else 'fact' if 'audit' in name or 'security' in name else 'observation'
            kw = {'decision': {'status': 'approved', 'rationale': short('; '.join(b[1] for b in bl[1:5]), 400), 'by': 'Owner-A'}} if kind == 'decision' else {}
            ev('lobsterops/%s#%d' % (name, j), at(day, j * 3), CONST if 'skill' in name else RALPH, kind, 'project', '%s, %s: %s' % (name.replace('-', ' '), hd, joined(bl, 380)), detail=body(sec), **kw, **LOB)
    lobster_metrics(p)


def lobster_metrics(p):
    def metric(origin, day, minute, name, value, unit, summary, target=None, source=RALPH):
        m = {'name': name, 'value': value, 'unit': unit}
        if target is not None:
            m['target'] = target
        ev('lobsterops/metric/' + origin, at(day, minute), source, 'metric', 'project', summary, metric=m, **LOB)
    files = sorted((p / 'memory').glob('*.md'))
    seen = set()
    for f in files:
        m = re.search(r'2026-02-\d\d', f.name)
        day = m.group(0) if m else '2026-02-16'
        text = f.read_text('utf-8')
        for m in re.finditer(r'(\d+)/2000(?! restants)', text):
            if (day, m.group(1)) not in seen:
                seen.add((day, m.group(1)))
                metric('brave-%s-%s' % (day, m.group(1)), day, 60 + int(m.group(1)), 'brave-search-quota-used', int(m.group(1)), 'queries', 'Brave Search quota used this month: %s of 2000' % m.group(1), 2000)
    for day, name in (('2026-02-15', 'multi-agent-status.md'), ('2026-02-16', '2026-02-16.md'), ('2026-02-17', 'heartbeat-2x-check-2026-02-17-0200.md')):
        text = (p / 'memory' / name).read_text('utf-8')
        for who, pat in (('ralph', r'(?:\| main|Ralph\**:?\**)[^\n]*?(\d+)k/200k'), ('constituent', r'(?:\| constituent|The Constituent\**:?\**)[^\n]*?(\d+)k/200k')):
            m = re.search(pat, text)
            if m:
                metric('tokens-%s-%s' % (who, day), day, 300, 'context-tokens-' + who, int(m.group(1)), 'k tokens', 'Context of %s: %sk of 200k tokens' % (who, m.group(1)), 200)
    text = (p / 'config/TOOLS.md').read_text('utf-8')
    for name, pat in (('clawvault-documents', r'Documents:\*\* (\d+)'), ('clawvault-nodes', r'(\d+) nodes, \d+ edges'), ('clawvault-edges', r'nodes, (\d+) edges')):
        v = re.search(pat, text).group(1)
        metric(name, '2026-02-16', 320, name, int(v), '', '%s: %s' % (name.replace('-', ' '), v))
    for name, pat, rel in (('republic-token-holders', r'Holders: (\d+)', 'tar-token-log.md'), ('malicious-skills', r'(\d+)\+ malicious skills on', 'skills-security-alerts.md'), ('exposed-instances', r'(\d+)K\+ instances exposées, Claw', 'openclaw-security-log.md')):
        m = re.search(pat, (p / 'memory' / rel).read_text('utf-8'))
        if m:
            v = int(m.group(1)) * (1000 if name == 'exposed-instances' else 1)
            metric(name, '2026-02-16' if name == 'exposed-instances' else '2026-02-15', 330, name, v, '', '%s: %s' % (name.replace('-', ' '), v))


# ---------------------------------------------------------------- Claude Code memory (a pattern library)

def autometta(root):
    p = root / 'import/claude-code--autometta'
    P = dict(project='autometta')
    index = (p / 'memory/INDEX.md').read_text('utf-8')
    files = sorted((p / 'memory').rglob('*.md'), key=lambda f: (index.find(f.name) if f.name in index else 10 ** 6, f.name))
    proto = next(f for f in files if 'prototype' in f.name)
    files.remove(proto)
    files.insert(next(i for i, f in enumerate(files) if 'rubric-schema' in f.name), proto)
    files = [f for f in files if f.name not in ('INDEX.md', 'README.md', 'retro-grade-template.md')]
    start = datetime(2026, 5, 6, 9, tzinfo=timezone.utc)
    for i, f in enumerate(files):
        meta, text = front(f.read_text('utf-8'))
        ts = (start + timedelta(hours=13.3 * i)).strftime('%Y-%m-%dT%H:%M:%SZ')
        desc = meta.get('description') or ''
        if not desc:
            desc = first_sentence(re.sub(r'(?m)^#.*$', '', text), 400)
        if len(desc) < 60:
            desc = '%s: %s' % (desc.rstrip('.'), first_sentence(re.sub(r'(?m)^#.*$', '', text), 380))
        if re.match('Why|Default impl', desc):
            key = re.findall(r'\*\*Decision:\*\*\s*(.{40,}?\.)\s', text) or [first_sentence(re.sub(r'(?m)^(#|\*\*).*$', '', text), 300)]
            desc = '%s: %s' % (desc.rstrip('.'), key[0])
        whys = re.findall(r'\*\*Why[^*\n]*\*\*:?\s*(.*?)(?=\n\n\*\*|\n\n#|\Z)', text, re.S) or re.findall(r'(?m)^#+ Why.*\n+(.*?)(?=\n#|\Z)', text)
        why = short(' '.join(whys[:3]), 600)
        kw = dict(P, detail=body(text, 4000), importance=0.7)
        if f.name.startswith('decision'):
            kind = 'decision'
            kw['decision'] = {'status': 'approved', 'rationale': why or short(text, 300), 'by': 'operator'}
            src = 'mac-codex' if h(f.name) % 3 == 0 else 'mac-claude'
        elif f.name.startswith('feedback'):
            kind, src = 'lesson', 'mac-claude'
            kw['lesson'] = {'context': 'autometta stage runs', 'applies_to': 'orchestrator'}
        else:
            kind, src = 'fact', 'mac-claude'
        ev('autometta/' + f.name, ts, src, kind, 'project', desc.strip('"'), **kw)
    for i, (heads, text, rest) in enumerate(grouped((p / 'memory/README.md').read_text('utf-8'))):
        if re.search('belong|Stale|Index', ' '.join(heads)):
            ev('autometta/memory-README#%d' % i, at('2026-05-07', i), 'mac-codex', 'rule', 'project', '%s: %s' % (heads[-1], text), **P)
    claude = (p / 'CLAUDE.md').read_text('utf-8')
    for i, (heads, text, rest) in enumerate(blocks(claude)):
        hd = heads[-1]
        imp = 0.9 if 'beliefs' in hd else 0.8 if 'gotchas' in hd else 0.7 if 'Conventions' in hd else 0.5
        if not re.search(r'beliefs|gotchas|Conventions|Auth routes|invariant|Upgrading|Manual|What this|Two layers', hd):
            continue
        kind = 'lesson' if 'gotchas' in hd else 'fact' if re.search('What this|Two layers', hd) else 'rule'
        kw = {'lesson': {'context': 'headless runs'}} if kind == 'lesson' else {}
        ev('autometta/CLAUDE.md#%d' % i, at('2026-05-29', i), 'mac-codex' if i % 4 == 0 else 'mac-claude', kind, 'project', text, importance=imp, detail=body(rest), **kw, **P)


# ---------------------------------------------------------------- a hand-kept hub

def caffeine(root):
    p = root / 'import/caffeine-brainforge'
    MAIN, QA = 'cloud-caffeine', 'cloud-qa'
    P = dict(project='brainforge')

    def each(name, day, source, fn):
        raw = (p / name).read_text('utf-8')
        g = r'Runtime|Files Built|Models|Token|Key Frameworks|Has$|Missing|Memory: The|Autonomous Loop|Protocol|Key$|Worker$|Repo$|Gemini|Key npm|Key Package|Overview|Tool Rules|What I|Long-term|Role'
        rows = [r for r in blocks(raw) if not (r[0] and re.search(g, r[0][-1]))] + [r for r in grouped(raw) if r[0] and re.search(g, r[0][-1])]
        for i, (heads, text, rest) in enumerate(rows):
            got = fn(heads, text, rest)
            if got and len(text) > 18 and not text.startswith(('_Last', '*Compiled', 'https:')):
                kind, scope, kw = got
                ev('caffeine/%s#%d' % (name, i), at(day, i), source, kind, scope, '%s: %s' % (heads[-1], text) if heads else text, **dict(P, detail=body(rest)), **kw)
    each('rules/memories.md', '2026-05-08', MAIN, lambda hd, t, r: ('fact', 'agent', {'agent': MAIN, 'importance': 0.6}) if hd and re.search('Do|Cannot|Role|Goal', hd[-1]) else ('fact', 'project', {'importance': 0.6}))
    each('rules/verified-capabilities.md', '2026-05-09', QA, lambda hd, t, r: ('fact', 'project', {'importance': 0.5}))
    each('rules/verified-limitations.md', '2026-05-09', QA, lambda hd, t, r: ('lesson', 'agent', {'agent': QA, 'importance': 0.7, 'lesson': {'context': 'tested in the sandbox'}}))
    each('soul/SOUL.md', '2026-05-07', MAIN, lambda hd, t, r: ('rule', 'agent', {'agent': MAIN, 'importance': 0.8}) if 'Rules' in hd[-1] else None)
    each('soul/VOICE.md', '2026-05-07', MAIN, lambda hd, t, r: ('preference', 'agent', {'agent': MAIN, 'importance': 0.6}))
    each('canonical/profile.md', '2026-05-07', MAIN, lambda hd, t, r: ('rule', 'agent', {'agent': MAIN, 'importance': 0.6}) if 'Protocol' in hd[-1] else ('fact', 'project', {}))
    each('canonical/stable-memory.md', '2026-05-08', MAIN, lambda hd, t, r: ('rule', 'project', {'importance': 0.8}) if 'Rules' in hd[-1] and 'Tool' not in hd[-1] else ('fact', 'project', {}))
    each('canonical/projects/caffeine-ai.md', '2026-05-08', MAIN, lambda hd, t, r: ('fact', 'project', {}))
    each('research/topic-research.md', '2026-05-10', MAIN, lambda hd, t, r: ('fact', 'project', {}) if hd else None)
    each('canonical/feature-roadmap.md', '2026-05-09', QA, lambda hd, t, r: ('fact', 'project', {'importance': 0.6}) if re.search('Constraints|NOT Done', hd[-1]) else None)
    for head, sec in sections((p / 'canonical/feature-roadmap.md').read_text('utf-8'), 4):
        ev('caffeine/roadmap#' + head[:20], at('2026-05-09', 100 + h(head) % 60), QA, 'task', 'project', '%s — %s' % (clean(head), '; '.join(b[1] for b in blocks(sec)[:2])), detail=body(sec), **P)
    for head, sec in sections((p / 'canonical/hybrid-goal.md').read_text('utf-8'), 3):
        bl = blocks(sec)
        if bl and len(sec) > 60:
            ev('caffeine/goal#' + head[:20], at('2026-05-10', h(head) % 60), MAIN, 'note', 'project', '%s: %s' % (clean(head), '; '.join(b[1] for b in bl[:3])), detail=body(sec), **P)
    for head, sec in sections((p / 'canonical/hybrid-goal.md').read_text('utf-8'), 2):
        if re.search('Learning Loop|Milestones|Baseline', head):
            ev('caffeine/goal2#' + head[:20], at('2026-05-10', 70 + h(head) % 60), MAIN, 'project-update', 'project', '%s: %s' % (clean(head), '; '.join(b[1] for b in blocks(sec)[:3])), detail=body(sec), **P)
    for head, sec in sections((p / 'canonical/bash-access.md').read_text('utf-8'), 2):
        bl = blocks(sec)
        if bl:
            ev('caffeine/bash#' + head[:30], at('2026-05-09', 200 + h(head) % 60), QA, 'fact', 'project', 'Bash access, %s: %s' % (clean(head), '; '.join(b[1] for b in bl[:3])), detail=body(sec), **P)
    for head, sec in sections((p / 'sources/caffeine/2026-05-07.md').read_text('utf-8'), 3):
        m = re.match(r'\[(\S+)\] (\w+) \| (.*)', head)
        kind = 'decision' if m.group(2) == 'decision' else 'observation'
        kw = {'decision': {'status': 'approved', 'rationale': short(sec, 300), 'by': 'developer'}} if kind == 'decision' else {}
        ev('caffeine/events#' + m.group(3)[:30], at(m.group(1), h(head) % 300), MAIN, kind, 'project', '%s: %s' % (m.group(3), clean(sec)), importance=0.7 if kw else 0.5, **kw, **P)
    text = (p / 'sources/caffeine/2026-05-08-auto-update.md').read_text('utf-8')
    for i, m in enumerate(re.finditer(r'- \*\*([@/\w-]+)\*\*: ([\d.]+) \(as of', text)):
        ev('caffeine/npm#' + m.group(1), at('2026-05-08', 600 + i), QA, 'fact', 'project', 'npm latest of %s: %s' % (m.group(1), m.group(2)), **P)
    for i, m in enumerate(re.finditer(r'- \*\*(.+?)\*\* \((2026-\d\d-\d\d)\) — https://forum[^\n]*\n  > ([^\n]*)', text)):
        ev('caffeine/forum#%d' % i, at('2026-05-08', 620 + i), QA, 'observation', 'fuzzy', 'ICP forum: %s. %s' % (m.group(1), m.group(3)), importance=0.3, **P)
    for i, (heads, t, rest) in enumerate(blocks((p / 'soul/agents.md').read_text('utf-8'))):
        if re.search('qa|jonqa|compiler|brain-prompt|D1|Memory Levels', heads[-1]) and 'Last action' not in t:
            if h(t) % 2 == 0:
                continue
            ev('caffeine/agents#%d' % i, at('2026-05-09', 300 + i), MAIN, 'fact', 'project', '%s: %s' % (heads[-1], t), **P)


# ---------------------------------------------------------------- beads issues

# numbers said in an issue: field, pattern, time, metric name, unit, words
METRICS = {
    'lgt4': [('description', r'resolveSuccessRate=(0\.\d+)', 'created_at', 'codegraph-resolve-success-rate', '', 'codegraph method-edge resolve success rate, self-index'),
             ('close_reason', r'->(0\.\d+)', 'closed_at', 'codegraph-resolve-success-rate', '', 'codegraph method-edge resolve success rate, self-index'),
             ('description', r'methodEdgeCount=(\d+)', 'created_at', 'codegraph-method-edges', 'edges', 'codegraph method edges, self-index'),
             ('close_reason', r'methodEdgeCount \d+->(\d+)', 'closed_at', 'codegraph-method-edges', 'edges', 'codegraph method edges, self-index')],
    'kc93': [('close_reason', r'~(\d+)s->', 'created_at', 'git-churn-tail-seconds', 's', 'git churn tail after flush, large repository, seconds'),
             ('close_reason', r's->(\d+)s', 'closed_at', 'git-churn-tail-seconds', 's', 'git churn tail after flush, large repository, seconds')],
    '8tp8': [('description', r'(\d+) git.file', 'created_at', 'unenriched-chunks', 'chunks', 'chunks left without git enrichment, large repository')],
    '1s44': [('notes', r'with (\d+) unenriched', 'updated_at', 'unenriched-chunks', 'chunks', 'chunks left without git enrichment, large repository')],
}
FORCED = set()  # issue suffixes that are taken whatever the hash says


def beads(root):
    P = dict(project='tea-rags')
    who = {'Dev One': 'studio-claude', 'Dev 1': 'laptop-claude', 'Test': 'studio-codex'}
    rows = [json.loads(l) for l in (root / 'import/beads--tearags/.beads/issues.jsonl').read_text('utf-8').split('\n') if l.strip()]
    rows.sort(key=lambda x: (x['created_at'], x['id']))
    imp = {0: 0.8, 1: 0.7, 2: 0.5, 3: 0.4, 4: 0.3}
    tests = {}
    closed_texts = set()
    for x in rows:
        sid = x['id'].replace('tea-rags-mcp-', '')
        desc, why = x.get('description') or '', x.get('close_reason') or ''
        src = who[x['created_by']]
        m = re.search(r'(?:[Aa]ll |[Ss]uite |[Tt]ests:? |, |; |\. |^)(\d{4})(?:/\d{4})? (?:tests? |full suite )?(?:pass|green)', why) or re.search(r'(\d{4})/\1\b', why)
        if m and x.get('closed_at') and int(m.group(1)) > 1040 and not re.search(r'1095|5825|5826|5830|5833|1854', m.group(1)):
            tests[x['closed_at'][:10]] = max(tests.get(x['closed_at'][:10], (0, '', ''))[:3], (int(m.group(1)), x['closed_at'], sid))
        rich = len(desc) > 250 or len(why) > 110 or x['issue_type'] == 'decision' or x.get('notes')
        keep = sid in FORCED or (rich and (h(sid) % 100 < 40 or x['priority'] <= 1 and h(sid) % 100 < 62))
        if not keep:
            continue
        kind0 = {'bug': 'observation', 'decision': 'decision', 'epic': 'project-update'}.get(x['issue_type'], 'task')
        if re.match(r'(Research|Investigate)', x['title']):
            kind0 = 'note'
        kw = dict(P, importance=imp[x['priority']], refs=[x['id']], tags=(x.get('labels') or [])[:4])
        is_open = x['status'] != 'closed'
        opened = None
        short_desc = first_sentence(re.sub(r'(?m)^#+ .*$', '', desc), 320) if desc else ''
        if x['issue_type'] == 'decision':
            rat = desc.split('## Rationale')[-1]
            ev('beads/%s' % sid, x['closed_at'], src, 'decision', 'project', '%s: %s' % (x['title'], first_sentence(desc.split('## Decision')[-1], 350)), detail=body(desc), decision={'status': 'approved', 'rationale': short(rat, 500), 'by': 'Dev One'}, **kw)
            continue
        if is_open or h(sid + 'o') % 3 == 0:
            opened = ev('beads/%s/open' % sid, x['created_at'], src, kind0, 'project', '%s: %s' % (x['title'], short_desc) if short_desc else x['title'], detail=body(desc, 2500), **kw)
        if not is_open and len(why) > 45 and x.get('closed_at'):
            s = why if why not in closed_texts else first_sentence(why, 80)
            closed_texts.add(why)
            wont = bool(re.match(r"(Won.t do|Superseded|Deferred|Closed without|obsolete|Covered by|No optimization)", why)) and len(why) > 60
            root_cause = x['issue_type'] == 'bug' and re.search(r'[Rr]oot|[Cc]ause|because|fixed by|Fix:', why)
            kw2 = {'lesson': {'context': short(x['title'], 200)}} if root_cause else {'decision': {'status': 'approved', 'rationale': short(why, 400), 'by': x['created_by']}} if wont else {}
            ev('beads/%s/closed' % sid, x['closed_at'], src, 'lesson' if root_cause else 'decision' if wont else 'project-update', 'project', '%s — %s' % (x['title'], short(s, 330)), detail=body(why + ('\n\n' + desc if len(desc) < 1500 else ''), 3000), supersedes=[opened['event_id']] if opened else None, **kw2, **kw)
        elif not is_open and x.get('closed_at') and desc:
            ev('beads/%s/closed' % sid, x['closed_at'], src, 'project-update', 'project', 'Done: %s. %s' % (x['title'], first_sentence(desc, 220)), detail=body(desc, 2500), supersedes=[opened['event_id']] if opened else None, **kw)
        if x.get('notes') and len(x['notes']) > 120:
            when = re.search(r'2026-0\d-\d\d', x['notes'])
            ts = at(when.group(0), h(sid) % 500) if when and when.group(0) >= x['created_at'][:10] else x['updated_at']
            ev('beads/%s/notes' % sid, ts, src, 'note', 'project', 'On "%s": %s' % (short(x['title'], 80), first_sentence(x['notes'], 330)), detail=body(x['notes'], 3000), **kw)
        for c in x.get('comments') or []:
            ev('beads/%s/comment' % sid, c['created_at'], src, 'note', 'project', '%s: %s' % (short(x['title'], 120), first_sentence(c['text'], 330)), detail=body(c['text'], 3000), **kw)
        for field, pat, day, name, unit, label in METRICS.get(sid, ()):
            m = re.search(pat, x[field])
            ts = x[day] if day in x else at(day, 700)
            ev('beads/metric/%s/%s/%s' % (sid, name, day), ts, src, 'metric', 'project', '%s: %s' % (label, m.group(1)), metric={'name': name, 'value': float(m.group(1)), 'unit': unit}, refs=[x['id']], **P)
    for day in sorted(tests):
        n, ts, sid = tests[day]
        ev('beads/metric/tests/' + day, ts, 'studio-claude', 'metric', 'project', 'tea-rags test suite: %d tests pass' % n, metric={'name': 'tea-rags-tests-passing', 'value': n, 'unit': 'tests'}, refs=['tea-rags-mcp-' + sid], **P)


# ---------------------------------------------------------------- MCP memory files

def mcp(root, rel, project, source, shift):
    kinds = {'requirements': 'rule', 'Requirement': 'rule', 'standards': 'rule', 'Process': 'rule', 'Plan': 'project-update', 'action_plan': 'task', 'TaskList': 'task', 'Task': 'task', 'Changelog': 'project-update', 'Thought': 'note', 'Roadmap': 'task', 'Feature': 'project-update', 'code_state': 'observation', 'Project': 'fact'}
    last = {}
    rows = []
    for n, line in enumerate((root / rel).read_text('utf-8').split('\n')):
        if not line.strip():
            continue
        o = json.loads(line)
        if 'observations' not in o or not o['observations']:
            continue
        obs = [x if isinstance(x, str) else x['text'] for x in o['observations']]
        stamp = o.get('createdAt') or (o['observations'][-1]['timestamp'] if not isinstance(o['observations'][0], str) else '')
        if not stamp or o['name'] in ('ToolCallLimits', 'Tool Testing Session'):
            continue
        t = datetime.fromisoformat(stamp.replace('Z', '+00:00')) + timedelta(days=shift)
        rows.append((t, n, o, obs))
    seen = set()
    for t, n, o, obs in sorted(rows, key=lambda r: (r[0], len(r[3]), r[1])):
        if (o['name'], tuple(obs)) in seen:
            continue
        seen.add((o['name'], tuple(obs)))
        ts = t.strftime('%Y-%m-%dT%H:%M:%SZ')
        name, typ = o['name'], o.get('entityType') or ''
        kind = kinds.get(typ, 'fact')
        if re.search(r'[Dd]ecision|[Rr]ationale', name + typ):
            kind = 'decision'
        if typ == 'Thought':
            text = re.sub(r'(?m)^#+\s*', '', '\n'.join(obs))
            summary = 'Thought: ' + short(re.sub(r'^Step: \S+\s*Reasoning:\s*', '', text), 330)
        else:
            summary = '%s: %s' % (re.sub(r'(?<=[a-z])_(?=\w)', ' ', name), '; '.join(obs))
        kw = {}
        if kind == 'decision':
            kw['decision'] = {'status': 'approved', 'rationale': short('; '.join(obs[1:]), 400), 'by': 'developer'}
        e = ev('%s/%s/%d' % (project, name, n), ts, source, kind, 'project', short(summary, 420), project=project, detail=body('\n'.join('- ' + x for x in obs), 3000), importance=0.7 if kind in ('rule', 'decision') else 0.5, **kw)
        if e and name in last:
            e['supersedes'] = [last[name]]
        if e:
            last[name] = e['event_id']


# ---------------------------------------------------------------- ADRs

def adr(root):
    start = datetime(2026, 3, 2, 10, tzinfo=timezone.utc)
    for i, f in enumerate(sorted((root / 'import/adr--madr/docs/decisions').glob('0*.md'))):
        meta, text = front(f.read_text('utf-8'))
        title = clean(re.search(r'(?m)^# (.*)$', text).group(1))
        out = re.search(r'## Decision Outcome\n+(.*?)(?=\n## |\Z)', text, re.S).group(1)
        ts = (start + timedelta(days=2.4 * i)).strftime('%Y-%m-%dT%H:%M:%SZ')
        status = 'pending' if 'hold' in meta.get('status', '') else 'approved'
        ev('madr/' + f.name, ts, 'docs-codex', 'decision', 'project', '%s. %s' % (title, first_sentence(out, 330)), project='madr', importance=0.6, detail=body(text, 4000), decision={'status': status, 'rationale': short(out.split('because', 1)[-1], 500), 'by': 'maintainers'})


# ---------------------------------------------------------------- public hubs

def hubs(root):
    for name in ('itestflow', 'ai-universal-memory'):
        rows = [json.loads(l) for f in sorted((root / 'hubs' / name / 'sources').rglob('*.ndjson')) for l in f.read_text('utf-8').split('\n') if l.strip()]
        for o in sorted(rows, key=lambda o: (o['ts'], o['event_id'])):
            src = 'web-claude' if o['source'] in ('claude-code', 'unknown', 'ai-universal-memory') else o['source']
            s = o['summary']
            d = o.get('detail', '')
            if len(s) < 70 and d:
                s = '%s: %s' % (s, first_sentence(d, 330))
            kind = o['kind']
            kw = {k: o[k] for k in ('keywords', 'project') if o.get(k)}
            kw['importance'] = {'decision': 0.7, 'rule': 0.7, 'lesson': 0.7}.get(kind, 0.5)
            if kind == 'decision':
                kw['decision'] = {'status': 'approved', 'rationale': short(d or s, 500), 'by': 'maintainer'}
            if kind == 'lesson':
                kw['lesson'] = {'context': short(o['summary'], 120)}
            ev('%s/%s' % (name, o['event_id']), o['ts'], src, kind, o['scope'], s, detail=body(d, 3000), **kw)
            m = re.search(r'(\d+)(?:/\d+)? tests(?: passing|,)', s)
            if m:
                ev('%s/metric/%s' % (name, o['event_id']), o['ts'], src, 'metric', 'project', 'ai-universal-memory test suite: %s tests' % m.group(1), metric={'name': 'aum-tests', 'value': int(m.group(1)), 'unit': 'tests'}, project=o['project'])
    rows = [json.loads(l) for f in sorted((root / 'hubs/commit-subjects/sources').rglob('2026-*.ndjson')) for l in f.read_text('utf-8').split('\n') if l.strip()]
    version = None
    for o in sorted(rows, key=lambda o: (datetime.fromisoformat(o['ts'].replace('Z', '+00:00')), o['event_id'])):
        s = o['summary']
        if not '2026-02-12' <= o['ts'][:10] <= '2026-08-18' or len(s) < 38 or re.match(r'(docs|chore\(docs|Merge|Bump|build\(deps|test)', s):
            continue
        rate = {'mem0': 12, 'gitpython': 30, 'aider': 60}[o['project']]
        if re.search(r'!:|security|Vanta|breaking|remove|revert|deprecat|changelog|bump versions|CVE|unsafe|default', s, re.I):
            rate += 25
        if re.search(r'Python (SDK )?v?2\.0|(HIGH|Vanta).*vulnerab', s):
            rate = 101
        if o['project'] == 'gitpython' and re.search(r'unsafe|[Gg]uard|[Rr]eject|[Bb]lock|[Vv]alidate|redact|expansion', s):
            rate = 90
        if h(o['event_id']) % 100 >= rate:
            continue
        src = 'ci-commits'
        e = ev('%s/%s' % (o['project'], o['event_id']), o['ts'], src, 'project-update', 'project', s, project=o['project'], importance=0.4)
        m = re.search(r'(?:Python(?: SDK)?) v?(2\.\d+\.\d+|1\.\d+\.\d+)', s)
        if m and o['project'] == 'mem0':
            v = ev('mem0/version/py/%s' % o['event_id'], o['ts'], src, 'fact', 'project', 'mem0 Python SDK version: %s' % m.group(1), project='mem0', supersedes=[version['event_id']] if version else None)
            version = v or version
        m = re.search(r'(?:patch|resolve) (\d+) (?:HIGH|Vanta)', s)
        if m:
            ev('mem0/metric/vuln/%s' % o['event_id'], o['ts'], src, 'metric', 'project', 'mem0 high-severity dependency vulnerabilities patched in one pass: %s' % m.group(1), metric={'name': 'mem0-high-vulnerabilities-patched', 'value': int(m.group(1))}, project='mem0')


# ---------------------------------------------------------------- corrections made by hand, by id only

OVERRIDES = {}   # event id -> fields
SUPERSEDES = {}  # newer id -> [older ids]


def corrections(path):
    f = path / 'corrections.json'
    if f.exists():
        c = json.loads(f.read_text('utf-8'))
        OVERRIDES.update(c.get('overrides', {}))
        SUPERSEDES.update(c.get('supersedes', {}))
        FORCED.update(c.get('forced_issues', []))


def apply_corrections():
    ids = {e['event_id']: e for e in EVENTS}
    for i, fields in OVERRIDES.items():
        if i not in ids:
            sys.exit('corrections.json: no event %s' % i)
        ids[i].update(fields)
    for i, old in SUPERSEDES.items():
        for j in [i] + old:
            if j not in ids:
                sys.exit('corrections.json: no event %s' % j)
        ids[i]['supersedes'] = sorted(set(ids[i].get('supersedes') or []) | set(old))


def main():
    shared, out = Path(sys.argv[1]), Path(sys.argv[2])
    root = shared / 'data'
    corrections(Path(__file__).resolve().parent)
    lobster(root)
    autometta(root)
    caffeine(root)
    beads(root)
    mcp(root, 'import/mcp-memory--think-tank/memory.jsonl', 'think-tank', 'laptop-cursor', 365)
    mcp(root, 'import/mcp-memory--dmetrics-go/memory.jsonl', 'dmetrics-go', 'laptop-windsurf', 365)
    adr(root)
    hubs(root)
    apply_corrections()
    files = defaultdict(list)
    for e in EVENTS:
        t = datetime.fromisoformat(e['ts'].replace('Z', '+00:00'))
        clone = hashlib.sha256(e['source'].encode()).hexdigest()[:8]
        files['sources/%s/%s.%s.ndjson' % (e['source'], t.astimezone(timezone.utc).date(), clone)].append((t, e['event_id'], e))
    digest = hashlib.sha256()
    for name in sorted(files):
        data = ''.join(json.dumps(e, ensure_ascii=False) + '\n' for _, _, e in sorted(files[name], key=lambda x: x[:2])).encode()
        digest.update(name.encode() + b'\0' + data)
        f = out / name
        f.parent.mkdir(parents=True, exist_ok=True)
        f.write_bytes(data)
    print(len(EVENTS), 'events', len(files), 'files')
    for key in ('project', 'source', 'kind', 'scope'):
        print(key, dict(Counter(e.get(key) for e in EVENTS).most_common()))
    print('superseding', sum(bool(e.get('supersedes')) for e in EVENTS), 'superseded', len({j for e in EVENTS for j in e.get('supersedes') or []}))
    print('characters of summaries', sum(len(e['summary']) for e in EVENTS), 'with details', sum(len(e['summary']) + len(e.get('detail', '')) for e in EVENTS))
    print('sha256', digest.hexdigest())


if __name__ == '__main__':
    main()
