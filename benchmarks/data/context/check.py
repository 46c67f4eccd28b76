#!/usr/bin/env python3
"""check.py HUB_DIR: that tasks.jsonl and the built hub agree. Exit 1 on any fault."""
import json, re, sys
from collections import Counter
from datetime import date, datetime, timedelta
from pathlib import Path

here = Path(__file__).resolve().parent
events = {}
for f in Path(sys.argv[1]).glob('sources/*/*.ndjson'):
    for line in f.read_text('utf-8').split('\n'):
        if line:
            e = json.loads(line)
            assert e['event_id'] not in events, 'twice: ' + e['event_id']
            assert e['source'] == f.parent.name and 2 <= len(e['summary']) <= 500 and '\n' not in e['summary']
            assert re.fullmatch(r'[a-z0-9]+(-[a-z0-9]+)*', e['source'])
            assert (e['scope'] == 'project') <= ('project' in e) and (e['scope'] == 'agent') <= ('agent' in e)
            assert len(e.get('detail', '').encode()) <= 16384
            events[e['event_id']] = e


def day(e):
    t = datetime.fromisoformat(e['ts'].replace('Z', '+00:00'))
    return (t - t.utcoffset()).date()


faults = []
for e in events.values():
    for j in e.get('supersedes') or []:
        if j not in events or datetime.fromisoformat(events[j]['ts'].replace('Z', '+00:00')) > datetime.fromisoformat(e['ts'].replace('Z', '+00:00')):
            faults.append('%s supersedes %s: unknown or newer' % (e['event_id'], j))


def status(e, today):
    if day(e) > today:
        return 'scheduled'
    if any(e['event_id'] in (x.get('supersedes') or []) and day(x) <= today for x in events.values()):
        return 'superseded'
    if e.get('valid_until', '9999') < str(today):
        return 'expired'
    if e['scope'] == 'fuzzy' and day(e) < today - timedelta(days=7):
        return 'stale'
    return 'active'


tasks = [json.loads(l) for l in (here / 'tasks.jsonl').read_text('utf-8').splitlines()]
tags = Counter()
for t in tasks:
    today = date.fromisoformat(t['today'])
    zh = bool(re.search('[\u4e00-\u9fff]', t['task']))
    words = len(t['task'].split())
    if not zh and not 6 <= words <= 25:
        faults.append('%s: %d words' % (t['id'], words))
    if not 2 <= len(t['needed']) <= 12 or len(set(t['needed'])) != len(t['needed']):
        faults.append('%s: %d needed' % (t['id'], len(t['needed'])))
    if t['project'] and t['project'] not in {e.get('project') for e in events.values()}:
        faults.append('%s: project %s' % (t['id'], t['project']))
    if t['agent'] and t['agent'] not in {e['source'] for e in events.values()}:
        faults.append('%s: agent %s' % (t['id'], t['agent']))
    if zh != ('zh' in t['tags']) or (t['project'] is None) != ('no-project' in t['tags']):
        faults.append('%s: tags' % t['id'])
    alternatives = t.get('alternatives', {})
    for i in t['needed'] + list(alternatives) + [j for v in alternatives.values() for j in v]:
        if i not in events:
            faults.append('%s: no event %s' % (t['id'], i))
            continue
        for when in (today, date(2026, 8, 20)):
            s = status(events[i], when)
            if s != 'active' and not (when > today and s == 'stale'):
                faults.append('%s: %s is %s on %s' % (t['id'], i, s, when))
    for i, others in alternatives.items():
        if i not in t['needed'] or set(others) & set(t['needed']):
            faults.append('%s: alternatives of %s' % (t['id'], i))
    if 'metrics' in t['tags'] and t['id']:
        for i in t['needed']:
            m = events[i].get('metric')
            if m and not any(events[j].get('metric', {}).get('name') == m['name'] and events[j]['ts'] > events[i]['ts'] for j in t['needed']):
                newer = [e for e in events.values() if e.get('metric', {}).get('name') == m['name'] and e['ts'] > events[i]['ts'] and day(e) <= today]
                if newer:
                    faults.append('%s: %s has a newer value' % (t['id'], i))
    tags.update(t['tags'])
if len(tasks) != 40 or len({t['task'] for t in tasks}) != 40:
    faults.append('%d tasks' % len(tasks))
for tag, least in {'zh': 6, 'no-project': 10, 'lessons': 5, 'metrics': 5, 'decisions': 5, 'paraphrase': 5}.items():
    if tags[tag] < least:
        faults.append('%s: %d tasks, %d wanted' % (tag, tags[tag], least))
lines = sum(len(e['summary']) + 60 for e in events.values()) // 4
print('%d events, about %d tokens as one line each; %d tasks, %d needed ids (%d distinct)' % (len(events), lines, len(tasks), sum(len(t['needed']) for t in tasks), len({i for t in tasks for i in t['needed']})))
print('needed per task', sorted(len(t['needed']) for t in tasks))
print('kinds of needed', dict(Counter(events[i]['kind'] for t in tasks for i in t['needed'] if i in events).most_common()))
print('tags', dict(tags.most_common()))
print('\n'.join(faults) or 'no faults')
sys.exit(bool(faults))
