// Tables of many tenants, whose keys all begin with that of a tenant.
import type { Sample } from './sample.ts'

export const tenants: Sample = {
  words: { sqlite: { MOMENT: 'DATETIME' }, postgres: { MOMENT: 'TIMESTAMP' } },
  statements: [
    'create table tenants (id integer primary key, name varchar(20) not null)',
    'create table users (tenant integer not null references tenants, login varchar(20) not null, primary key (tenant, login))',
    'create table projects (tenant integer not null references tenants, id integer not null, title varchar(20), primary key (tenant, id))',
    `create table tasks (tenant integer not null references tenants, id integer not null, project_id integer, parent_id integer,
      primary key (tenant, id), foreign key (tenant, project_id) references projects, foreign key (tenant, parent_id) references tasks)`,
    `create table members (tenant integer not null, project integer not null, login varchar(20) not null, since MOMENT,
      primary key (tenant, project, login), foreign key (tenant, project) references projects, foreign key (tenant, login) references users)`,
    'create table visits (tenant integer references tenants, path varchar(20))',
    "insert into tenants values (1, 'North'), (2, 'South')",
    "insert into users values (1, 'ada'), (1, 'bo'), (2, 'ada')",
    "insert into projects values (1, 1, 'Tea'), (1, 2, 'Looms'), (2, 1, 'Bread')",
    'insert into tasks values (1, 1, 1, null), (1, 2, 1, 1), (1, 3, null, 1), (2, 1, 1, null)',
    "insert into members values (1, 1, 'ada', '2024-05-01 09:00:00'), (1, 2, 'ada', null), (1, 1, 'bo', null), (2, 1, 'ada', null)",
    "insert into visits values (1, '/tea'), (1, '/tea'), (null, '/')",
  ],
}
